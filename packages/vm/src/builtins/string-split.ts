import type { HostContext } from "../machine/host.ts";
import { TextSearch } from "./text-search.ts";

/** Beyond this length, parts are counted before they are made. */
const COUNTED_LENGTH = 4096;

/** `String.prototype.split` by a text. A part costs its place in the array, and its own text. */
export function splitText(context: HostContext, text: string, separator: string | undefined, limit: number): string[] {
  if (limit === 0) return [];
  if (separator === undefined) return [text];
  const count = Math.min(limit, partCountMax(context, text, separator));
  context.charge(1 + count, text.length + count * 8);
  if (separator === "" || text.length < COUNTED_LENGTH) return text.split(separator, limit);
  const search = new TextSearch(context, text, separator);
  const parts: string[] = [];
  let start = 0;
  for (let at = search.next(0); at >= 0; at = search.next(start)) {
    parts.push(text.slice(start, at));
    if (parts.length === limit) return parts;
    start = at + separator.length;
  }
  parts.push(text.slice(start));
  return parts;
}

function partCountMax(context: HostContext, text: string, separator: string): number {
  if (separator === "") return text.length;
  if (text.length < COUNTED_LENGTH) return 1 + text.length / separator.length;
  const search = new TextSearch(context, text, separator);
  let count = 1;
  for (let at = search.next(0); at >= 0; at = search.next(at + separator.length)) count++;
  return count;
}
