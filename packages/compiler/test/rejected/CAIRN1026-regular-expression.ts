import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  return [/(/, /\p{Foo}/u, /(?<a>x)|(?<a>y)/, /(?i:x)/, /[b-a]/];
});
