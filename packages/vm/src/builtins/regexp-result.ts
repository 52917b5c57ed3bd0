import { VArray, VPlain, type Value } from "../heap/value.ts";
import type { HostContext } from "../machine/host.ts";
import type { RegExpProgram } from "../regexp/program.ts";
import { chargeText } from "./string-conversion.ts";
import { substitute } from "./string-substitution.ts";

/** A match that was found. */
export interface Found {
  readonly program: RegExpProgram;
  readonly text: string;
  /** Start and end of every group, the whole match first; -1 for a group that took no part. */
  readonly spans: ArrayLike<number>;
}

export function indexOf({ spans }: Found): number {
  return spans[0]!;
}

export function endOf({ spans }: Found): number {
  return spans[1]!;
}

export function groupText({ spans, text }: Found, group: number): string | undefined {
  const start = spans[2 * group]!;
  return start < 0 ? undefined : text.slice(start, spans[2 * group + 1]);
}

/** The texts of the groups, without the whole match. */
export function captures(found: Found): (string | undefined)[] {
  const texts: (string | undefined)[] = [];
  for (let group = 1; group < found.program.groupCount; group++) texts.push(groupText(found, group));
  return texts;
}

/** What `exec` returns. */
export function execArray(context: HostContext, found: Found): VArray {
  const { program, text } = found;
  chargeFound(context, found);
  const array = new VArray(context.realm.arrayPrototype, [groupText(found, 0), ...captures(found)]);
  array.write("index", indexOf(found));
  array.write("input", text);
  array.write(
    "groups",
    groupsObject(program, (group) => array.items[group]),
  );
  if (program.flags.hasIndices) array.write("indices", indicesArray(context, found));
  return array;
}

/** What a replacer is called with: the match, its captures, where it is, the text, and the named groups if any. */
export function replacerArguments(context: HostContext, found: Found): VArray {
  chargeFound(context, found);
  const items: Value[] = [groupText(found, 0), ...captures(found)];
  const groups = groupsObject(found.program, (group) => items[group]);
  items.push(indexOf(found), found.text);
  if (groups !== undefined) items.push(groups);
  return new VArray(context.realm.arrayPrototype, items);
}

/** A replacement text with its references filled in. */
export function expand(context: HostContext, found: Found, template: string): string {
  if (!template.includes("$")) return template;
  const { program, text } = found;
  const hasNames = program.groupNames.some((name) => name !== undefined);
  return substitute(
    template,
    {
      text,
      position: indexOf(found),
      matched: groupText(found, 0)!,
      captures: captures(found),
      group: hasNames ? (name) => textOfNamed(found, name) : undefined,
    },
    (length) => chargeText(context, length),
  );
}

/** A name that no group has reads as a group that took no part. */
function textOfNamed(found: Found, name: string): string | undefined {
  const group = found.program.groupNames.indexOf(name);
  return group < 0 ? undefined : groupText(found, group);
}

/** An object without prototype, or undefined when no group has a name. */
function groupsObject(program: RegExpProgram, valueOf: (group: number) => Value): VPlain | undefined {
  let groups: VPlain | undefined;
  program.groupNames.forEach((name, group) => {
    if (name === undefined) return;
    groups ??= new VPlain(null);
    groups.write(name, valueOf(group));
  });
  return groups;
}

function indicesArray(context: HostContext, { program, spans }: Found): VArray {
  const { arrayPrototype } = context.realm;
  context.charge(program.groupCount * 5, program.groupCount * 80);
  const pairs: Value[] = [];
  for (let group = 0; group < program.groupCount; group++) {
    const start = spans[2 * group]!;
    pairs.push(start < 0 ? undefined : new VArray(arrayPrototype, [start, spans[2 * group + 1]]));
  }
  const indices = new VArray(arrayPrototype, pairs);
  indices.write(
    "groups",
    groupsObject(program, (group) => pairs[group]),
  );
  return indices;
}

function chargeFound(context: HostContext, { program, spans }: Found): void {
  context.charge(10 + program.groupCount * 5, 120 + program.groupCount * 16 + (spans[1]! - spans[0]!));
}
