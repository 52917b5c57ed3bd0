import { durationUnits, parseDuration, TIME_MAX } from "@cairnjs/ir";
import { report } from "../diagnostic.ts";
import { staticValue } from "../link/static-value.ts";
import { constantValue } from "./constant-value.ts";
import { resolutionOf, type Visitors } from "./context.ts";
import { nearestName } from "./nearest-name.ts";

/** `sleep("3 dayz")`, `sleep(1e300)`: times that stand in the source and are none. Those of options are with the options. */
export const durationVisitors: Visitors = {
  CallExpression(node, context) {
    const callee = constantValue(node.callee, context);
    const resolution = resolutionOf(callee.node, callee.place);
    if (resolution?.kind !== "durable" || resolution.durable !== "sleep") return;
    const [written] = node.arguments;
    if (written === undefined || written.type === "SpreadElement") return;
    const { node: meant, place } = constantValue(written, context);
    const value = staticValue(meant, place.module, place.names);
    if (value === null || isTime(value)) return;
    const problem = `sleep() is given ${JSON.stringify(value)}, which is no time to wait`;
    report(context, "CAIRN5011", written, { problem, instead: durationFor(value) });
  },
};

/** A number may be negative, as the difference of two times is when the second has passed: it does not wait. */
function isTime(value: string | number): boolean {
  return milliseconds(value) <= TIME_MAX;
}

export function isDuration(value: string | number): boolean {
  return milliseconds(value) >= 0;
}

function milliseconds(value: string | number): number {
  return typeof value === "number" ? value : parseDuration(value);
}

/** From the longest, plurals first; one or two letters are like too much. */
const WORDS = durationUnits.filter(({ length }) => length > 2).toReversed();

/** What to write instead: with the unit that was probably meant, or in general. */
export function durationFor(value: string | number): string {
  const [, amount, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\W*$/i.exec(String(value)) ?? [];
  const meant = nearestName(unit, WORDS);
  if (amount !== undefined && meant !== undefined) return `\`"${amount} ${meant}"\`, if that is what you mean`;
  return 'a number of milliseconds, 0 or more, or a duration such as `"30 s"`, `"5 minutes"` or `"2 days"`';
}
