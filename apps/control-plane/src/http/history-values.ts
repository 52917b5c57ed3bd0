import type { InputOfRun } from "@cairnjs/schemas/rest";
import { resolveHistory } from "../blobs/resolve-rows.ts";
import type { Engine } from "../library/engine.ts";
import { readable } from "../library/readable.ts";
import { loadHistory } from "../store/load-runs.ts";
import { StoredJson } from "../stored-json.ts";

/** Of the values of one answer, as texts. */
const VALUES_LENGTH_MAX = 16 * 1024 * 1024;
/** Of which what is stored is read at one time: large values are elsewhere, and are read one by one. */
const READ_AT_ONCE = 50;

/** What the inputs of a page say; fewer of them where that becomes too much. */
export async function withValues(
  engine: Engine,
  id: string,
  inputs: readonly InputOfRun[],
): Promise<readonly InputOfRun[]> {
  const items: InputOfRun[] = [];
  let left = VALUES_LENGTH_MAX;
  for (let from = 0; from < inputs.length; from += READ_AT_ONCE) {
    const part = inputs.slice(from, from + READ_AT_ONCE);
    const wanted = part.map(({ number }) => ({ id, after: number - 1, upTo: number }));
    const stored = new Map((await loadHistory(engine.client, wanted)).map((row) => [row.number, row]));
    for (const input of part) {
      const row = stored.get(input.number);
      const [read] = row === undefined ? [] : await readable(resolveHistory(engine.blobs, [row]));
      const value = read?.value ?? null;
      left -= value?.length ?? 0;
      if (left < 0 && items.length > 0) return items;
      items.push(value === null ? input : { ...input, value: new StoredJson(value) });
    }
  }
  return items;
}
