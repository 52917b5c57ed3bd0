/** What a replacement text may refer to: ECMA-262's GetSubstitution. */
export interface Substituted {
  readonly text: string;
  readonly position: number;
  readonly matched: string;
  /** Without the match itself. */
  readonly captures: readonly (string | undefined)[];
  /** Undefined when the pattern has no named groups. */
  readonly group: ((name: string) => string | undefined) | undefined;
}

/** Puts a replacement text together. `grow` is told every part's length before it is added. */
export function substitute(template: string, match: Substituted, grow: (length: number) => void): string {
  let result = "";
  let from = 0;
  const lastClose = match.group === undefined ? -1 : template.lastIndexOf(">");
  for (let at = template.indexOf("$"); at >= 0; at = template.indexOf("$", from)) {
    const { value, length } = reference(template, at, match, lastClose);
    grow(at - from + value.length);
    result += template.slice(from, at) + value;
    from = at + length;
  }
  if (from === 0) {
    grow(template.length);
    return template;
  }
  grow(template.length - from);
  return result + template.slice(from);
}

interface Reference {
  readonly value: string;
  /** How much of the template it takes up. */
  readonly length: number;
}

const LITERAL: Reference = { value: "$", length: 1 };

function reference(template: string, at: number, match: Substituted, lastClose: number): Reference {
  const { text, position, matched } = match;
  const next = template.charAt(at + 1);
  switch (next) {
    case "$":
      return { value: "$", length: 2 };
    case "&":
      return { value: matched, length: 2 };
    case "`":
      return { value: text.slice(0, position), length: 2 };
    case "'":
      return { value: text.slice(position + matched.length), length: 2 };
    case "<":
      return lastClose < at ? LITERAL : namedReference(template, at, match);
    default:
      return next >= "0" && next <= "9" ? numberedReference(template, at, match) : LITERAL;
  }
}

/** Two digits if there are that many captures, else one. */
function numberedReference(template: string, at: number, { captures }: Substituted): Reference {
  const one = Number(template.charAt(at + 1));
  const second = template.charAt(at + 2);
  const two = second >= "0" && second <= "9" ? one * 10 + Number(second) : 0;
  if (two >= 1 && two <= captures.length) return { value: captures[two - 1] ?? "", length: 3 };
  if (one >= 1 && one <= captures.length) return { value: captures[one - 1] ?? "", length: 2 };
  return LITERAL;
}

/** The closing bracket is known to be there. */
function namedReference(template: string, at: number, { group }: Substituted): Reference {
  const end = template.indexOf(">", at + 2);
  return { value: group?.(template.slice(at + 2, end)) ?? "", length: end + 1 - at };
}
