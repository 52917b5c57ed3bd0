import { action, depends, mapLimit, workflow } from "cairnjs";
import { z } from "zod";

const needs = { stamp: depends(() => "stamp") };

const plain = action("mapped.plain", async (to: string) => `plain ${to}`);
const needing = action("mapped.needing", { needs }, async (to: string, { stamp }) => `${stamp} ${to}`);
const optional = action(
  "mapped.optional",
  { needs },
  async (to: string, copies: number | undefined, { stamp }) => `${stamp} ${to} ${copies}`,
);
const checked = action("mapped.checked", { input: z.string() }, async (to) => `checked ${to}`);
const both = action("mapped.both", { needs, input: [z.string()] }, async (to, { stamp }) => `${stamp} checked ${to}`);

const nothing = workflow("mapped.nothing", async () => "nothing");
const echo = workflow("mapped.echo", async (to: string) => `echo ${to}`);

/** Actions and workflows as functions that get more arguments than they take. */
export const mapped = workflow("mapped.all", async (to: string[]) => {
  const seen: string[] = [];
  for (const each of [plain, needing, checked, both, nothing, echo]) {
    seen.push(...(await Promise.all(to.map(each))), ...(await mapLimit(to, 2, each)));
  }
  seen.push(...(await Promise.all(to.map(optional))), await optional("eve"));
  return seen;
});

/** What a caller without types may try: to stand in for what the action needs. */
export const forged = workflow("mapped.forged", async () => {
  const evil = { stamp: "forged" };
  const calls = [needing, both] as unknown as ((...args: unknown[]) => Promise<string>)[];
  const seen: string[] = [];
  for (const call of calls) seen.push(await call("ada", evil), await call("ada", undefined, evil, evil));
  return seen;
});

/** A run that is started by itself is told what it does not take. */
export const started = workflow("mapped.started", async () => {
  try {
    await nothing.start(5 as never);
    return "started";
  } catch (error) {
    return (error as Error).message;
  }
});
