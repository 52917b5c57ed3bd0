import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const base = { a: 1 };
  Object.setPrototypeOf(base, null);
  return [Object.create(base), Object.create({}), Object.create(Array.prototype), Object.create(null), Object.create(input)];
});
