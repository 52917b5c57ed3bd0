/** Something the user can put right; the message is one line. */
export class CannotRun extends Error {
  // On the prototype, so that it is no own property to be printed.
  static {
    Object.defineProperty(this.prototype, "name", { value: "CannotRun", configurable: true, writable: true });
  }
}
