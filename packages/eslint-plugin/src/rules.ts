import { relative } from "node:path";
import { type Code, type Diagnostic, docsUrl, DOCS_INDEX_URL, messages, usedByText } from "@cairnjs/compiler";
import type { AST, Rule, SourceCode } from "eslint";
import { type Finding, FindingsOfFiles } from "./findings.ts";

type CodeOf<S extends Diagnostic["severity"]> = {
  [C in Code]: (typeof messages)[C]["severity"] extends S ? C : never;
}[Code];

/** Warnings are a matter of taste, so each has a switch of its own. Names never change, like codes. */
const WARNING_RULES = {
  CAIRN3017: "no-unstorable-argument",
  CAIRN4003: "no-void-promise",
  CAIRN4007: "no-return-out-of-try",
  CAIRN5013: "no-unchecked-input",
  CAIRN5015: "no-workflow-in-function",
} as const satisfies Record<CodeOf<"warning">, string>;

/** Errors are one rule: what the compiler refuses cannot be allowed here. */
const LANGUAGE = "language";

/** All rules by name. They share what is found about a file. */
export function makeRules(): Record<string, Rule.RuleModule> {
  const files = new FindingsOfFiles();
  const seen = new WeakMap<SourceCode, Set<string>>();
  const codes = Object.keys(messages) as Code[];
  const rule = (name: string, about: RuleAbout): Rule.RuleModule => ({
    meta: {
      type: "problem",
      docs: { description: about.description, url: about.url, recommended: true },
      messages: Object.fromEntries(about.codes.map((code) => [code, `${code}: {{problem}} {{hint}}`])),
      schema: [],
    },
    create(context) {
      const { sourceCode } = context;
      const asked = seen.get(sourceCode) ?? new Set();
      // oxlint has one object for all files: a rule that asks again has come to another.
      const isFirst = asked.size === 0 || asked.has(name);
      seen.set(sourceCode, isFirst ? new Set([name]) : asked.add(name));
      const findings = files
        .find(context.filename, sourceCode.text, isFirst)
        .filter(({ diagnostic }) => about.codes.includes(diagnostic.code));
      if (findings.length === 0) return {};
      return {
        Program: () => {
          for (const finding of findings) context.report(reportOf(finding, context));
        },
      };
    },
  });
  const rules: Record<string, Rule.RuleModule> = {
    [LANGUAGE]: rule(LANGUAGE, {
      description: "Report what the compiler refuses in workflows and actions",
      url: DOCS_INDEX_URL,
      codes: codes.filter((code) => messages[code].severity === "error"),
    }),
  };
  for (const [code, name] of Object.entries(WARNING_RULES) as [CodeOf<"warning">, string][]) {
    rules[name] = rule(name, { description: messages[code].title, url: docsUrl(code), codes: [code] });
  }
  return rules;
}

/** Severities as the compiler has them. */
export function recommendedSeverities(): Record<string, "error" | "warn"> {
  const warnings = Object.values(WARNING_RULES).map((name) => [name, "warn"] as const);
  return Object.fromEntries([[LANGUAGE, "error"], ...warnings]);
}

interface RuleAbout {
  readonly description: string;
  readonly url: string;
  readonly codes: readonly Code[];
}

function reportOf({ diagnostic, through }: Finding, context: Rule.RuleContext): Rule.ReportDescriptor {
  const { code, message, hint, file, line, column, start, end, usedBy } = diagnostic;
  const { sourceCode } = context;
  const used = usedBy === null ? "" : ` It is ${usedByText({ ...usedBy, file: relative(context.cwd, usedBy.file) })}.`;
  if (through === null) {
    const loc = { start: sourceCode.getLocFromIndex(start), end: sourceCode.getLocFromIndex(end) };
    return { messageId: code, data: { problem: `${message}${used}`, hint }, loc };
  }
  const place = `${relative(context.cwd, file)}:${line}:${column}`;
  return {
    messageId: code,
    data: { problem: `${message} It stands in ${place}.${used}`, hint },
    loc: importOf(through, sourceCode),
  };
}

/** Where a specifier is imported; the first character of the file when the parser shows no such place. */
function importOf(specifier: string, { ast }: SourceCode): AST.SourceLocation {
  for (const statement of ast.body) {
    const source = "source" in statement ? statement.source : null;
    if (source?.value === specifier && source.loc) return source.loc;
  }
  return { start: { line: 1, column: 0 }, end: { line: 1, column: 0 } };
}
