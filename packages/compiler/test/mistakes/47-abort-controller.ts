import { action, workflow } from "cairnjs";

const load = action("pages.load", async (url: string) => url);

export default workflow("pages.first", async (urls: string[]) => {
  const controller = new AbortController();
  const text = await Promise.race(urls.map((url) => load(url)));
  controller.abort();
  return text;
});
