import type { Code } from "./messages/table.ts";

/** The pages are part of this package, and this is where its files can be read. */
const PAGES_URL = "https://unpkg.com/@cairnjs/compiler/errors";

/** The page that lists all codes. */
export const DOCS_INDEX_URL = `${PAGES_URL}/README.md`;

/** The page that explains a code. */
export function docsUrl(code: Code): string {
  return `${PAGES_URL}/${code}.md`;
}
