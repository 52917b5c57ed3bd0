import { type Code, docsUrl, messages } from "@cairnjs/compiler";
import { pages } from "@cairnjs/compiler/pages";
import type { Output } from "../output/output.ts";
import { UsageMistake } from "../usage-mistake.ts";

export interface ExplainFlags {
  readonly json?: true;
}

/** `cairn explain CODE`: its page; without a code, all of them. */
export function explainCommand(asked: string | undefined, flags: ExplainFlags, output: Output): void {
  const isJson = flags.json === true;
  if (asked === undefined) {
    if (isJson) output.line(JSON.stringify({ codes: codes().map(titled) }));
    else for (const code of codes()) output.line(`${output.paint("bold", code)}  ${messages[code].title}`);
    return;
  }
  const code = codes().find((each) => each === asked.toUpperCase() || each === `CAIRN${asked}`);
  if (code === undefined) throw new UsageMistake(`there is no code ${asked}; \`cairn explain\` lists them all`);
  if (isJson) {
    output.line(JSON.stringify({ ...titled(code), page: pages[code], url: docsUrl(code) }));
    return;
  }
  printPage(pages[code], output);
  output.line(output.paint("dim", docsUrl(code)));
}

function titled(code: Code): { readonly code: Code; readonly title: string } {
  return { code, title: messages[code].title };
}

function codes(): Code[] {
  return Object.keys(messages) as Code[];
}

/** Markdown as it is, in colours; the link to the other pages leads nowhere in a terminal. */
function printPage(page: string, output: Output): void {
  let isCode = false;
  for (const line of page
    .replace(/\[All diagnostics\].*\n$/, "")
    .trimEnd()
    .split("\n")) {
    const isFence = line.startsWith("```");
    if (isFence) isCode = !isCode;
    if (isFence) continue;
    if (isCode) output.line(`    ${output.paint("cyan", line)}`.trimEnd());
    else if (line.startsWith("# ")) output.line(output.paint("bold", line.slice(2)));
    else output.line(line.replace(/^> ?/, "  ").trimEnd());
  }
  output.line();
}
