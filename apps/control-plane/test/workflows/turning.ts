import { action, compensate, currentCall, emit, runInfo, signal, sleep, step, workflow } from "cairnjs";

/** What actions were called with, in that order. */
export const acts: string[] = [];
/** What `act` fails with. */
export const broken = new Set<string>();

export const act = action("turning.act", { retry: { attempts: 1 } }, async (text: string) => {
  acts.push(text);
  if (broken.has(text)) throw new Error(`${text} is broken`);
  return text;
});

/** Calls of `hold` that have begun and not ended, by key. */
export const holding = new Map<string, { readonly signal: AbortSignal; readonly release: (value: string) => void }>();

const hold = action("turning.hold", async (key: string) => {
  const { signal: aborted } = currentCall();
  acts.push(key);
  return new Promise<string>((release, reject) => {
    holding.set(key, { signal: aborted, release });
    aborted.addEventListener("abort", () => reject(aborted.reason as Error));
  });
});

export const three = workflow("turning.three.v1", async (key: string) => {
  const a = await act(`${key} a`);
  const b = await act(`${key} b`);
  const c = await act(`${key} c`);
  return [a, b, c];
});

const word = signal<string>("word");

export const listener = workflow("turning.listener.v1", async (input: { key: string; count: number }) => {
  const heard: string[] = [];
  while (heard.length < input.count) {
    heard.push(await word.wait());
    await act(`${input.key} ${heard.at(-1)}`);
  }
  return heard;
});

export const chance = workflow("turning.chance.v1", async () => {
  await word.wait();
  const drawn = crypto.randomUUID();
  await word.wait();
  return drawn;
});

export const careful = workflow("turning.careful.v1", async (key: string) => {
  compensate(act, `${key} undo 1`);
  await act(`${key} 1`);
  compensate(act, `${key} undo 2`);
  await act(`${key} 2`);
  compensate(act, `${key} undo 3`);
  await word.wait();
  await act(`${key} 3`);
  return key;
});

export const both = workflow("turning.both.v1", async (key: string) => {
  const early = hold(`${key} early`);
  await act(`${key} first`);
  const late = hold(`${key} late`);
  return Promise.all([early, late]);
});

export const child = workflow("turning.child.v1", async (key: string) => {
  await act(`${key} child`);
  await word.wait();
  return `${key} done`;
});

export const parent = workflow("turning.parent.v1", async (key: string) => {
  const early = child(`${key} early`);
  await act(`${key} first`);
  const late = child(`${key} late`);
  return Promise.all([early, late]);
});

export const telling = workflow("turning.telling.v1", async (key: string) => {
  await act(`${key} 1`);
  emit("turning.told.v1", key);
  const answer = await act(`${key} 2`).catch((error: Error) => `${error.name}: ${error.message}`);
  const kid = await child(key).catch((error: Error) => error.name);
  return [answer, kid];
});

export const slowly = workflow("turning.slowly.v1", async (key: string) => {
  compensate(hold, `${key} undo 1`);
  await act(`${key} 1`);
  compensate(hold, `${key} undo 2`);
  await word.wait();
  return key;
});

export const flaky = action("turning.flaky", { retry: { attempts: 9 } }, async (text: string) => {
  acts.push(text);
  if (broken.has(text)) throw new Error(`${text} is broken`);
  return text;
});

export const retried = workflow("turning.retried.v1", async (key: string) => {
  await act(`${key} a`);
  return flaky(`${key} b`);
});

const reluctant = workflow("turning.reluctant.v1", async (key: string) => {
  compensate(hold, `${key} undo`);
  return word.wait();
});

export const mother = workflow("turning.mother.v1", async (key: string) => reluctant(key));

export const twice = workflow("turning.twice.v1", async (key: string) => {
  compensate(hold, `${key} undo 1`);
  await act(`${key} 1`);
  compensate(hold, `${key} undo 2`);
  return [await word.wait(), await word.wait()];
});

export const words = workflow("turning.words.v1", async (count: number) => {
  const heard: string[] = [];
  while (heard.length < count) heard.push(await word.wait());
  return heard;
});

export const tagged = workflow("turning.tagged.v1", async (key: string) => {
  const { tags, id } = runInfo();
  await act(`${key} ${tags.join("+")}`);
  await word.wait();
  return [...tags, id === runInfo().id, await step("key", async () => currentCall().idempotencyKey)];
});

export const napping = workflow("turning.napping.v1", async (key: string) => {
  await act(`${key} 1`);
  await sleep(60_000);
  return act(`${key} 2`);
});

const quick = workflow("turning.quick.v1", async (key: string) => act(`${key} child`));

export const family = workflow("turning.family.v1", async (key: string) => {
  const born = await quick(key);
  await act(`${key} after`);
  return born;
});

export const large = workflow("turning.large.v1", async (size: number) => {
  const text = await act("x".repeat(size));
  const heard = await word.wait();
  await act("y".repeat(size));
  return text.length + heard.length;
});

const fussy = action(
  "turning.fussy",
  { retry: { attempts: 5 }, nonRetryable: ["RangeError"] },
  async (text: string) => {
    acts.push(text);
    throw new RangeError(text);
  },
);

export const fussing = workflow("turning.fussing.v1", async (key: string) => {
  const declared = await fussy(`${key} declared`).catch((error: Error) => error.name);
  const called = await flaky
    .with({ retry: { attempts: 2 }, nonRetryable: ["Error"] })(`${key} called`)
    .catch((error: Error) => error.name);
  return [declared, called];
});
