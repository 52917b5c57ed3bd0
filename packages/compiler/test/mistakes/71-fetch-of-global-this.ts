import { workflow } from "cairnjs";

export default workflow("pages.load", async (url: string) => {
  const response = await globalThis.fetch(url);
  return await response.text();
});
