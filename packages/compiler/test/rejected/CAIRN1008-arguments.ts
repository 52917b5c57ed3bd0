import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  function count() {
    return arguments.length;
  }
  const inner = { method: () => arguments[0] };
  return [count(), inner];
});
