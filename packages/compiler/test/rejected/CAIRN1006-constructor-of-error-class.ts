import { signal, workflow } from "cairnjs";

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

class Waiting extends Error {
  approved: unknown;
  constructor() {
    super("waiting");
    this.approved = signal("approved");
  }
}

export default workflow("sample", async () => {
  if (Math.random() > 0.5) throw new Waiting();
  throw new Declined(new Late("x").message);
});
