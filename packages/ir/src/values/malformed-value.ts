/** The text is not the encoding of a value; `path` is the place of the value that is wrong. */
export class MalformedValue extends Error {
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`Malformed value at ${path}: ${reason}`, options);
    this.path = path;
    this.reason = reason;
  }

  static {
    Object.defineProperty(this.prototype, "name", {
      value: "MalformedValue",
      configurable: true,
      writable: true,
    });
  }
}
