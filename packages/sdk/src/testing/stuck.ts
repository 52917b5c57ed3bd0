/** The run can only wait, for something that will not come. */
export class Stuck extends Error {
  static {
    Object.defineProperty(this.prototype, "name", { value: "Stuck", configurable: true, writable: true });
  }
}
