import { action, workflow } from "cairnjs";

const load = action("pages.load", async (page: number) => `page ${page}`);

export default workflow("crawl.all", async () => {
  const texts: string[] = [];
  for await (const text of [load(1), load(2)]) texts.push(text);
  return texts;
});
