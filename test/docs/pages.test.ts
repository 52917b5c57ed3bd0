import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { messages } from "../../packages/compiler/src/messages/table.ts";

const docs = new URL("../../docs/", import.meta.url).pathname;
const pages = readdirSync(docs, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .sort();

interface Link {
  /** Path from the folder of the docs; the page itself for a bare `#anchor`. */
  readonly page: string;
  readonly anchor: string | undefined;
}

function linksOf(page: string): Link[] {
  const text = readFileSync(join(docs, page), "utf8").replace(/^```[^]*?^```$|`[^`\n]*`/gm, "");
  return [...text.matchAll(/\]\(([^)\s]*)\)/g)]
    .map((match) => match[1]!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path, anchor] = target.split("#");
      return { page: path === "" || path === undefined ? page : join(dirname(page), path), anchor };
    });
}

/** As GitHub makes them of headings. */
function anchorsOf(page: string): string[] {
  const headings = readFileSync(join(docs, page), "utf8").matchAll(/^#+ (.+)$/gm);
  return [...headings].map((match) =>
    match[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe("the pages of the docs", () => {
  it.each(pages)("%s links only to pages and headings that exist", (page) => {
    const broken = linksOf(page).filter(
      ({ page: target, anchor }) =>
        !existsSync(join(docs, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor)),
    );
    expect(broken).toEqual([]);
  });

  it("are all named by the index", () => {
    const named = new Set(linksOf("README.md").map(({ page }) => page));
    const others = pages.filter((page) => page !== "README.md" && !page.startsWith("errors/"));
    expect(others.filter((page) => !named.has(page))).toEqual([]);
  });

  it("say of every diagnostic what to write instead", () => {
    const linked = linksOf("language/rejected.md").map(({ page }) => page);
    const codes = Object.keys(messages).map((code) => `errors/${code}.md`);
    expect(codes.filter((page) => !linked.includes(page))).toEqual([]);
    const once = linked.filter((page) => codes.includes(page));
    expect(once.filter((page, index) => once.indexOf(page) !== index)).toEqual([]);
  });
});
