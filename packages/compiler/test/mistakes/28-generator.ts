import { workflow } from "cairnjs";

function* pages(last: number) {
  for (let page = 1; page <= last; page += 1) yield page;
}

export default workflow("crawl.pages", async (last: number) => [...pages(last)]);
