/** A module with every accepted construct. */
export const everything = `
import {
  action, ActionTimeout, compensate, emit, mapLimit, progress, runInfo, signal, SignalTimeout, sleep, step, workflow,
} from "cairnjs";
import type { Missing } from "no-such-package";

type Item = { id: number; tags?: string[] };
interface Shape extends Item {}
enum Size { Small = 1, Large = Small << 1, Named = "n" }
const enum Flag { On = 1 }
class Declined extends Error {
  override name = "Declined";
  retriable = false;
  declare extra: string;
  constructor(public readonly code: string, options?: ErrorOptions) {
    super("declined " + code, options);
    this.retriable = code !== "stolen";
  }
}
abstract class Base extends TypeError {}
class Narrow extends Base {}

const RATES = Object.freeze({ standard: 5, list: [1, 2, ...[3]], at: new Date(0), pattern: /x+/giu });
const LOOKUP = new Map([["a", 1]]);
const WORDS = "a b".split(" ").map((word) => word.toUpperCase());
const LIMIT = Math.max(RATES.standard, 10) * -1 + (LOOKUP.size > 0 ? 1n && 2 : 3);
const { standard, list: [head, ...tail] } = RATES;
const charge = action("charge", { timeout: "5 s" }, async (item: Item) => ({ ok: true, item }));
const refund = action("refund", async (id: number) => id);
const tools = { charge, search: action("search", async () => []), twice, nested: { refund } };
const approved = signal<boolean>("approved");
const child = workflow("child", async (input: number) => input);

function twice(n: number, { times = 2, ...others }: { times?: number } = {}, ...rest: number[]): number {
  return n * times + rest.length + Object.keys(others).length;
}
async function helper(item: Item) {
  "use strict";
  return (await charge(item)).ok;
}
const later = async () => tools.nested.refund(1);

export default workflow("main", async ({ items, ...input }: { items: Item[]; flag?: boolean }) => {
  var hoisted = 1;
  let total = 0n, text = \`\${hoisted} items\`;
  const results: unknown[] = [, 1, ...items];
  outer: for (const { id, tags: [first = "none", ...more] = [] } of items) {
    if (id < 0) continue outer;
    for (let i = 0, f = () => i; i < more.length; i++) results.push(f(), first);
    for (const key in input) { if (key === "stop") break outer; }
    total += BigInt(id) ** 2n;
  }
  while (total > 100n) total -= 1n;
  do { hoisted++; } while (hoisted < 3);
  switch (text) {
    case "a": results.push(1);
    default: results.push(2);
    case "b": { break; }
  }
  try {
    await helper(items[0]!);
    if (input.flag) throw new Declined("x", { cause: new Narrow("y") });
  } catch ({ message, ...rest }) {
    results.push(message, rest);
  } finally {
    await sleep("1 s");
  }
  const object = {
    text, ["k" + 1]: 1, 2: 3, "quoted-key": 4, ...input,
    method() { return () => this.text; },
    async later() { return await helper({ id: 1 }); },
    fn: function named(n: number): number { return n < 2 ? 1 : named(n - 1); },
  };
  object.text ??= "x";
  object["text"] ||= "y";
  ({ text, k1: results[0] } = object as any);
  [results[1], hoisted = 5] = [2];
  delete object.text;
  const optional = object?.method?.()?.call(null)!.length;
  const kind = typeof optional, none = void 0;
  const Kind = input.flag ? RangeError : TypeError;
  const error = new Kind("chosen");
  if (error instanceof RangeError || "k1" in object) results.push((1, 2), !none, -1, +"2", ~3, kind);
  const made = await new Promise<number>((resolve) => resolve(1));
  const [a, b] = await Promise.all([charge(items[0]!), child(1)]);
  const pending = refund(1);
  const raced = await Promise.race([pending.then((x) => x + 1), sleep(1000)]).catch(() => null).finally(() => {});
  const mapped = await mapLimit(items, 2, async (item, index) => [await charge.with({ id: "wrap" })(item), index]);
  const all = await Promise.all(items.map((item) => helper(item)));
  const started = await child.start(2, { id: "x" });
  const answer = await approved.wait({ timeout: "1 day" });
  const lifted = await step("lift", async () => { const now = process.hrtime(); return [items.length, now]; });
  compensate(refund, 5);
  emit("order.done", { total });
  progress({ done: 1 });
  console.log("at", Date.now(), new Date(), Math.random(), crypto.randomUUID(), runInfo().id);
  const bytes = new TextEncoder().encode(encodeURIComponent(new URL("https://a.b").href));
  const found = /(?<year>\\d{4})/u.exec("2024")?.groups?.year ?? JSON.stringify([...new Set([1])].entries());
  const bound = Array.prototype.slice.call([1, 2], 1), counts: Record<string, number> = Object.create(null);
  counts["constructor"] = (counts["constructor"] ?? 0) + 1;
  const sorted = [3, 1].toSorted((x, y) => x - y).flatMap((x) => [x, x]);
  later().catch((reason) => { if (!(reason instanceof SignalTimeout || reason instanceof ActionTimeout)) throw reason; });
  const generic = identity<string>("x") satisfies string;
  function identity<T>(value: T): T { return value; }
  {
    function inner() { return Size.Large + Flag.On + Size[Size.Small]!.length; }
    results.push(inner());
  }
  const all2 = [made, a, b, raced, mapped, all, started, answer, lifted, bytes, found, bound, sorted, generic];
  return [all2, LIMIT, WORDS, standard, head, tail, Size, tools.twice(2), await tools.search(), optional];
});
`;
