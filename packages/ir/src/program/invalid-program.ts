/** A program that the machine must not run; `path` says where it is wrong: `functions[3].code[12]`. */
export class InvalidProgram extends Error {
  override readonly name = "InvalidProgram";
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(path === "" ? reason : `${path}: ${reason}`);
    this.path = path;
    this.reason = reason;
  }
}
