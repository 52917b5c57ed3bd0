import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const base = { a: 1 };
  const made = { __proto__: base, ["__proto__"]: 1 };
  made.__proto__ = null;
  const { __proto__: parent } = made;
  return [made["__proto__"], parent];
});
