/** One thing that is wrong with a value; the path leads to it: `["items", 3, "sku"]`. Storable. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A message names so many; all are in the error's `issues`. */
const ISSUES_SHOWN_MAX = 3;

/** `mail.send.v1: "items[3].sku": expected string; "cents": missing`. */
export function issuesText(subject: string, issues: readonly Issue[], show: (issue: Issue) => string): string {
  const shown = issues.slice(0, ISSUES_SHOWN_MAX).map(show);
  const more = issues.length - shown.length;
  return `${subject}: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

export function issueText({ path, message }: Issue): string {
  return path.length === 0 ? message : `"${pathText(path)}": ${message}`;
}

/** The first part of the path is the argument's index. */
export function argumentIssueText({ path: [index, ...path], message }: Issue): string {
  return `argument ${Number(index) + 1}${path.length === 0 ? ":" : `, "${pathText(path)}":`} ${message}`;
}

function pathText(path: readonly (string | number)[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z$_][\w$]*$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}
