import type { HostContext } from "../machine/host.ts";

/** Beyond this length, parts are counted before they are made. */
const COUNTED_LENGTH = 4096;

/** `String.prototype.split` by a text. A part costs its place in the array, and its own text. */
export function splitText(context: HostContext, text: string, separator: string | undefined, limit: number): string[] {
  if (limit === 0) return [];
  if (separator === undefined) return [text];
  const count = Math.min(limit, partCountMax(context, text, separator));
  context.charge(1 + count, text.length + count * 8);
  return text.split(separator, limit);
}

function partCountMax(context: HostContext, text: string, separator: string): number {
  if (separator === "") return text.length;
  if (text.length < COUNTED_LENGTH) return 1 + text.length / separator.length;
  context.charge(text.length / 16, 0);
  let count = 1;
  for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + separator.length)) count++;
  return count;
}
