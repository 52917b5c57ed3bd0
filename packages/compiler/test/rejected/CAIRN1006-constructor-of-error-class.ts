import { workflow } from "cairnjs";

class Declined extends Error {
  code: string;
  constructor(code: string) {
    super("declined");
    this.code = code;
    Object.setPrototypeOf(this, new.target.prototype);
    if (code === "") this.code = "none";
    this["other"] = 1;
    this.code += "!";
  }
}
class Late extends TypeError {
  constructor(text: string) {
    const message = text.trim();
    super(message);
  }
}

export default workflow("sample", async () => {
  throw new Declined(new Late("x").message);
});
