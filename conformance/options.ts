import { parseArgs } from "node:util";

export interface Options {
  /** Only tests whose path has this in it. */
  readonly filter: string;
  /** `[i, n]`: every n-th test, from the i-th. */
  readonly shard: readonly [number, number];
  /** Only this many tests, chosen by `seed`; 0 for all. */
  readonly sample: number;
  readonly seed: number;
  readonly workers: number;
  /** List the tests that were rejected or refused for a reason with this in it. */
  readonly why: string | null;
  /** Show one test: its text, what the machine and what Node.js make of it. */
  readonly show: string | null;
}

const USAGE = `node conformance/dist/main.js [--filter TEXT] [--shard I/N] [--sample N] [--seed N] [--workers N] [--why TEXT]
    [--show PATH]`;

export function optionsOf(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      filter: { type: "string", default: "" },
      shard: { type: "string", default: "1/1" },
      sample: { type: "string", default: "0" },
      seed: { type: "string", default: "1" },
      workers: { type: "string", default: "1" },
      why: { type: "string" },
      show: { type: "string" },
    },
  });
  const [index, count] = values.shard.split("/").map(Number);
  if (!(index! >= 1 && index! <= count!)) throw new RangeError(`--shard ${values.shard} is not I/N\n${USAGE}`);
  return {
    filter: values.filter,
    shard: [index!, count!],
    sample: Number(values.sample),
    seed: Number(values.seed),
    workers: Number(values.workers),
    why: values.why ?? null,
    show: values.show ?? null,
  };
}
