import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  setTimeout(() => {}, 10);
  const handle = setInterval(() => {}, 10);
  clearTimeout(handle);
  clearInterval(handle);
});
