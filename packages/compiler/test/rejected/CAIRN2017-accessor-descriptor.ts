import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const item = {};
  Object.defineProperty(item, "a", { get: () => 5, enumerable: true });
  Object.defineProperty(item, "b", { value: 5 });
  Object.defineProperties(item, { c: { set(value) {} } });
  item.__defineGetter__("d", () => 1);
  return Object.create(null, { e: { get: () => 1 } });
});
