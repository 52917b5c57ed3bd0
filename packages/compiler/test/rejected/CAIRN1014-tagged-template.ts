import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const tag = (parts: TemplateStringsArray) => parts.join("");
  return [tag`a`, String.raw`b\n`];
});
