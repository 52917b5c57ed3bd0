import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

/** What a page says about an example; a field that is absent is not promised. */
export interface Promised {
  readonly result?: string;
  readonly throws?: string;
  /** Actions in the order they were called: `[["mail.send", "ann"]]`. */
  readonly calls?: string;
  /** `[["info", "text"]]` */
  readonly logs?: string;
  /** `[["progress", 0.5], ["emit", "type", data]]` */
  readonly events?: string;
}

/** One ```ts block of the language guide. */
export interface Example {
  readonly page: string;
  /** Of its first line in the page. */
  readonly line: number;
  /** Name of its module; others of the page import it as `./name`. */
  readonly file: string;
  /** A whole module, made of the block as docs/language/README.md says. */
  readonly source: string;
  /** `workflow`: run both ways; `module`: only imported by others; `unit test`: run natively, it has no program. */
  readonly kind: "workflow" | "module" | "unit test";
  readonly promised: Promised;
}

const languageFolder = new URL("../../docs/language/", import.meta.url).pathname;

/** Examples of all pages of the guide, in order. */
export function languageExamples(): Example[] {
  return readdirSync(languageFolder)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .flatMap((name) => examplesOf(name, readFileSync(join(languageFolder, name), "utf8")));
}

function examplesOf(name: string, text: string): Example[] {
  const page = basename(name, ".md");
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map((match) => {
    const line = text.slice(0, match.index).split("\n").length + 1;
    return exampleFrom(page, line, match[1] ?? "");
  });
}

function exampleFrom(page: string, line: number, block: string): Example {
  const file = /^\/\/ file: (\S+\.ts)$/m.exec(block)?.[1] ?? `line-${line}.ts`;
  const promised = promisedIn(block);
  const isNamed = !file.startsWith("line-");
  if (block.startsWith("// In a unit test")) return { page, line, file, source: block, kind: "unit test", promised };
  if (/^export default workflow\(/m.test(block)) return { page, line, file, source: block, kind: "workflow", promised };
  if (isNamed) return { page, line, file, source: block, kind: "module", promised };
  return { page, line, file, source: wrapped(block), kind: "workflow", promised };
}

/** A fragment is the body of a workflow without input, with two actions at hand. */
function wrapped(fragment: string): string {
  return `import { action, workflow } from "cairnjs";
const double = action("double", async (n: number) => n * 2);
const fail = action("fail", async (message: string): Promise<never> => { throw new Error(message); });
export default workflow("example", async () => {
${fragment}});
`;
}

const LABELS = ["result", "throws", "calls", "logs", "events"] as const;

/** From the comment that ends the block; what follows a label may go on in further comment lines. */
function promisedIn(block: string): Promised {
  const promised: { -readonly [Label in keyof Promised]: string } = {};
  let label: keyof Promised | null = null;
  for (const line of block.split("\n")) {
    const [, name, value] = /^\/\/ (\w+): (.*)$/.exec(line) ?? [];
    const known = LABELS.find((each) => each === name);
    if (known !== undefined) {
      label = known;
      promised[known] = value ?? "";
    } else if (label !== null && line.startsWith("//")) {
      promised[label] = `${promised[label]} ${line.slice("//".length).trim()}`;
    } else {
      label = null;
    }
  }
  return promised;
}
