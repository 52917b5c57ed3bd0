/**
 * Makes the typed table of diagnostics, their pages in the docs and the same pages for the terminal from `src/messages/*.md`, the single source.
 * `node packages/compiler/scripts/generate-messages.mjs` writes; the test beside the table only compares.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const packageFolder = join(dirname(fileURLToPath(import.meta.url)), "..");
const messagesFolder = join(packageFolder, "src/messages");
const docsFolder = join(packageFolder, "../../docs/errors");

/** Path to content of everything that is generated. */
export function generateMessages() {
  const groups = readGroups();
  const files = new Map([
    [join(messagesFolder, "table.ts"), tableSource(groups)],
    [join(messagesFolder, "pages.ts"), pagesSource(groups)],
  ]);
  for (const group of groups) {
    for (const entry of group.entries) files.set(join(docsFolder, `${entry.code}.md`), page(group, entry));
  }
  files.set(join(docsFolder, "README.md"), indexPage(groups));
  return files;
}

/** Names of the pages that are there, so that one whose code was removed is noticed. */
export function existingPages() {
  return readdirSync(docsFolder).filter((name) => name.endsWith(".md"));
}

function readGroups() {
  const groups = readdirSync(messagesFolder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => parseGroup(name, readFileSync(join(messagesFolder, name), "utf8")));
  groups.sort((a, b) => (a.entries[0].code < b.entries[0].code ? -1 : 1));
  const codes = groups.flatMap((group) => group.entries.map((entry) => entry.code));
  const repeated = codes.find((code, index) => codes.indexOf(code) !== index);
  if (repeated !== undefined) throw new Error(`${repeated} is described twice`);
  return groups;
}

function parseGroup(file, text) {
  const [head, ...sections] = text.split(/^## /m);
  const title = /^# (.+)$/m.exec(head)?.[1];
  if (title === undefined || sections.length === 0) throw new Error(`${file}: a title and diagnostics are missing`);
  const introduction = head.replace(/^# .+$/m, "").trim();
  const entries = sections.map((section) => parseEntry(file, section));
  const prefix = entries[0].code.slice(0, 6);
  for (const [index, entry] of entries.entries()) {
    if (!entry.code.startsWith(prefix)) throw new Error(`${file}: ${entry.code} belongs to another group`);
    if (index > 0 && entry.code <= entries[index - 1].code) throw new Error(`${file}: ${entry.code} is out of order`);
  }
  return { title, introduction, entries };
}

function parseEntry(file, section) {
  const heading = /^(CAIRN[1-9]\d{3}) (.+)$/m.exec(section);
  if (heading === null || heading.index !== 0) throw new Error(`${file}: bad heading: ${section.slice(0, 40)}`);
  const code = heading[1];
  const field = (name) => {
    const match = new RegExp(`^- ${name}: (.+)$`, "m").exec(section);
    if (match === null) throw new Error(`${file}: ${code} has no ${name}`);
    return match[1].trim();
  };
  const severity = field("severity");
  if (severity !== "error" && severity !== "warning") throw new Error(`${file}: ${code}: severity ${severity}`);
  const explanation = section
    .replace(/^.*$/m, "")
    .replace(/^- (message|hint|severity): .+\n/gm, "")
    .trim();
  for (const part of ["Wrong", "Right"]) {
    if (!new RegExp(`^${part}:\\n\\n\`\`\`tsx?\\n`, "m").test(explanation)) {
      throw new Error(`${file}: ${code} has no example "${part}"`);
    }
  }
  return { code, title: heading[2].trim(), message: field("message"), hint: field("hint"), severity, explanation };
}

function tableSource(groups) {
  const lines = [
    "// Made by scripts/generate-messages.mjs from the Markdown files beside it. Edit those.",
    "",
    "export const messages = {",
  ];
  for (const { entries } of groups) {
    for (const { code, title, message, hint, severity } of entries) {
      lines.push(`  ${code}: {`);
      lines.push(`    severity: ${JSON.stringify(severity)},`);
      lines.push(`    title: ${JSON.stringify(title)},`);
      lines.push(...longString("message", message), ...longString("hint", hint));
      lines.push(
        `    values: [${placeholders(message, hint)
          .map((name) => JSON.stringify(name))
          .join(", ")}],`,
      );
      lines.push("  },");
    }
  }
  lines.push("} as const;", "", "export type Code = keyof typeof messages;", "");
  return lines.join("\n");
}

/** The pages as text, so that the command line has them without the docs. */
function pagesSource(groups) {
  const lines = [
    "// Made by scripts/generate-messages.mjs from the Markdown files beside it. Edit those.",
    "",
    'import type { Code } from "./table.ts";',
    "",
    "/** The page of each code, in Markdown. */",
    "export const pages: Readonly<Record<Code, string>> = {",
  ];
  for (const group of groups) {
    for (const entry of group.entries) {
      lines.push(`  ${entry.code}:`, `    ${quote(page(group, entry))},`);
    }
  }
  lines.push("};", "");
  return lines.join("\n");
}

/** Names of what a report must supply. */
function placeholders(message, hint) {
  return [...new Set([...`${message} ${hint}`.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))];
}

/** As the formatter breaks it (not after a key of four letters), so that formatting the table leaves it up to date. */
function longString(name, value) {
  const line = `    ${name}: ${quote(value)},`;
  return line.length <= 120 || name.length <= 4 ? [line] : [`    ${name}:`, `      ${quote(value)},`];
}

function quote(value) {
  const doubles = value.split('"').length;
  const singles = value.split("'").length;
  if (doubles <= singles) return JSON.stringify(value);
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function page(group, entry) {
  return [
    `# ${entry.code}: ${entry.title}`,
    "",
    `*${group.title}, ${entry.severity}*`,
    "",
    `> ${shown(entry.message)}`,
    ">",
    `> ${shown(entry.hint)}`,
    "",
    entry.explanation,
    "",
    "[All diagnostics](README.md)",
    "",
  ].join("\n");
}

/** Placeholders as a reader of the docs understands them. */
function shown(text) {
  return text.replaceAll(/\{(\w+)\}/g, "‹$1›");
}

function indexPage(groups) {
  const lines = [
    "# Diagnostics",
    "",
    "The compiler reports every problem of a file at once, each with a code that never changes its meaning.",
  ];
  for (const group of groups) {
    lines.push("", `## ${group.title}`, "", group.introduction, "", "| code | |", "| --- | --- |");
    for (const { code, title, severity } of group.entries) {
      lines.push(`| [${code}](${code}.md) | ${title}${severity === "warning" ? " (warning)" : ""} |`);
    }
  }
  lines.push("");
  return lines.join("\n");
}

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1]) {
  const files = generateMessages();
  mkdirSync(docsFolder, { recursive: true });
  const names = new Set([...files.keys()].map((path) => basename(path)));
  for (const name of existingPages()) if (!names.has(name)) rmSync(join(docsFolder, name));
  for (const [path, content] of files) writeFileSync(path, content);
  console.log(`${files.size} files written`);
}
