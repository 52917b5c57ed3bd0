import { workflow } from "cairnjs";

class Declined extends Error {
  static count = 0;
  static make() {
    return new Declined("x");
  }
  static {
    Declined.count = 1;
  }
  #secret = 1;
  ["computed" + 1] = 2;
  accessor flag = true;
  override name = "Declined";
  "quoted-key" = 3;
  declare typed: string;
  get final() {
    return true;
  }
  set final(value) {
    console.log(value);
  }
  isFinal() {
    return this.#secret;
  }
}

export default workflow("sample", async () => {
  throw new Declined("no");
});
