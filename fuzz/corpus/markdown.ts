import { action, workflow } from "cairnjs";

const fetchPage = action("fetchPage", async (name: string) => (name === "readme" ? README : "plain"));

const README = `# Title *here*

Some **bold** and _emphasised_ text with \`code <x>\` and a [link](https://example.com "t").
Second line of the same paragraph.

- one
- two
  1. nested
  2. list **item**
- three

> quoted
> twice

\`\`\`ts
const x = 1; // *not* emphasised
\`\`\`

| a | b |
|---|---|
| 1 | two |

---
![image](x.png) &amp; end\\*`;

type Block = { kind: string; level: number; lines: string[] };

function blocksOf(source: string): Block[] {
  const blocks: Block[] = [];
  let fence: Block | null = null;
  for (const line of source.split(/\r?\n/)) {
    if (fence !== null) {
      if (/^```/.test(line)) fence = null;
      else fence.lines.push(line);
      continue;
    }
    const previous = blocks.at(-1);
    let match: RegExpExecArray | null;
    if (/^```/.test(line)) blocks.push((fence = { kind: "code", level: 0, lines: [] }));
    else if (line.trim() === "") blocks.push({ kind: "gap", level: 0, lines: [] });
    else if ((match = /^(#{1,6})\s+(.*)$/.exec(line)))
      blocks.push({ kind: "heading", level: match[1]!.length, lines: [match[2]!] });
    else if (/^(?:-{3,}|\*{3,})$/.test(line.trim())) blocks.push({ kind: "rule", level: 0, lines: [] });
    else if ((match = /^(\s*)(?:[-*+]|(\d+)\.)\s+(.*)$/.exec(line)))
      blocks.push({
        kind: match[2] === undefined ? "bullet" : "number",
        level: match[1]!.length >> 1,
        lines: [match[3]!],
      });
    else if ((match = /^>\s?(.*)$/.exec(line))) {
      if (previous?.kind === "quote") previous.lines.push(match[1]!);
      else blocks.push({ kind: "quote", level: 0, lines: [match[1]!] });
    } else if (/^\|.*\|$/.test(line)) {
      const cells = line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim());
      if (cells.every((cell) => /^:?-+:?$/.test(cell))) continue;
      blocks.push({ kind: "row", level: cells.length, lines: cells });
    } else if (previous?.kind === "text") previous.lines.push(line);
    else blocks.push({ kind: "text", level: 0, lines: [line] });
  }
  return blocks.filter(({ kind }) => kind !== "gap");
}

const INLINE: [RegExp, string | ((...groups: string[]) => string)][] = [
  [/!\[([^\]]*)\]\([^)]*\)/g, "[$1]"],
  [/\[([^\]]*)\]\((\S+?)(?:\s+"[^"]*")?\)/g, "$1 <$2>"],
  [/(\*\*|__)(.+?)\1/g, "$2"],
  [/(?<![\w\\])([*_])(?!\s)(.+?)(?<!\s)\1(?!\w)/g, "$2"],
  [/`([^`]+)`/g, (_, code) => code!.toUpperCase()],
  [/&(amp|lt|gt);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">" })[name!] ?? ""],
  [/\\([*_`\\])/g, "$1"],
];

const inline = (text: string): string =>
  INLINE.reduce((current, [pattern, replacement]) => current.replace(pattern, replacement as string), text);

function toText(source: string, width: number): string {
  let counter = 0;
  const out: string[] = [];
  for (const { kind, level, lines } of blocksOf(source)) {
    counter = kind === "number" ? counter + 1 : 0;
    const text = kind === "code" ? lines.join("\n") : inline(lines.join(kind === "row" ? "\t" : " "));
    switch (kind) {
      case "heading":
        out.push(text, (level === 1 ? "=" : "-").repeat(text.length));
        break;
      case "rule":
        out.push("*".repeat(width));
        break;
      case "bullet":
        out.push(`${"  ".repeat(level)}• ${text}`);
        break;
      case "number":
        out.push(`${"  ".repeat(level)}${counter}) ${text}`);
        break;
      default:
        out.push(...wrap(text, width).map((line) => (kind === "quote" ? `| ${line}` : line)));
    }
  }
  return out.join("\n");
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] += ` ${word}`;
    else lines.push(word);
  }
  return lines;
}

export default workflow("markdown", async () => {
  const pages: Record<string, string> = {};
  for (const name of ["readme", "other"]) pages[name] = toText(await fetchPage(name).catch(() => "# failed"), 30);
  return pages;
});
