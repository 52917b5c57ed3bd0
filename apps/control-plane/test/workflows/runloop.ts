import { action, compensate, emit, progress, runInfo, signal, sleep, workflow } from "cairnjs";

/** What an action is given: tests that have a runloop of their own answer it themselves. */
const work = action("loop.work", async (n: number): Promise<unknown> => n);
const undo = action("loop.undo", async (n: number): Promise<unknown> => n);
const news = signal<number>("news");

export const oneCall = workflow("loop.one.v1", async (n: number) => await work(n));

export const twoCalls = workflow("loop.two.v1", async (n: number) => {
  const first = await work(n);
  return [first, await work(n + 1)];
});

export const fan = workflow("loop.fan.v1", async (n: number) => {
  const all = await Promise.all(Array.from({ length: n }, (_, index) => work(index)));
  return all.length;
});

export const catching = workflow("loop.catching.v1", async (n: number) => {
  try {
    await work(n);
    return "stored";
  } catch (error) {
    return error instanceof Error ? `caught ${error.name}` : "caught something else";
  }
});

export const bothCaught = workflow("loop.both.v1", async () => {
  const all = await Promise.allSettled([work(1), work(2), work(3)]);
  return all.map(({ status }) => status);
});

export const besideSleep = workflow("loop.beside-sleep.v1", async () => {
  const open = [work(1), work(2)];
  const rest = sleep("500 ms").then(() => "slept");
  const first = await Promise.allSettled(open);
  return [first[0]?.status, await rest];
});

export const sleepThenWork = workflow("loop.sleeps.v1", async (ms: number) => {
  await sleep(ms);
  return await work(1);
});

export const listening = workflow("loop.listening.v1", async (count: number) => {
  const heard: number[] = [];
  for (let i = 0; i < count; i++) heard.push(await news.wait());
  return heard;
});

export const workOnNews = workflow("loop.work-on-news.v1", async (n: number) => await work(n + (await news.wait())));

export const startsOnNews = workflow("loop.starts-on-news.v1", async (n: number) => {
  await news.wait();
  await oneCall.start(n);
  return await work(n);
});

export const newsBesideCall = workflow("loop.news-beside-call.v1", async (n: number) => {
  const open = work(n);
  return [await news.wait(), await open];
});

export const times = workflow("loop.times.v1", async (count: number) => {
  const seen: number[] = [Date.now()];
  for (let i = 0; i < count; i++) {
    await work(i);
    seen.push(Date.now());
  }
  return seen;
});

export const spinning = workflow("loop.spinning.v1", async (rounds: number) => {
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum = (sum * 31 + i) % 1_000_003;
  return sum;
});

export const spinsPerSignal = workflow("loop.spins-per-signal.v1", async (input: { count: number; rounds: number }) => {
  let sum = 0;
  for (let each = 0; each < input.count; each++) {
    await news.wait();
    for (let i = 0; i < input.rounds; i++) sum = (sum * 31 + i) % 1_000_003;
  }
  return sum;
});

export const chatty = workflow("loop.chatty.v1", async (lines: number) => {
  for (let i = 0; i < lines; i++) progress(i);
  return await work(lines);
});

export const undoing = workflow("loop.undoing.v1", async (n: number) => {
  compensate(undo, n);
  await work(n);
  throw new RangeError(`attempt ${runInfo().attempt} failed`);
});

export const undoesWhenStopped = workflow("loop.undoes.v1", async (n: number) => {
  compensate(undo, n);
  return await work(n);
});

export const waitsUndoes = workflow("loop.waits-undoes.v1", async (n: number) => {
  compensate(undo, n);
  return await news.wait();
});

export const parentOf = workflow("loop.parent.v1", async (n: number) => await oneCall(n));

export const telling = workflow("loop.telling.v1", async (n: number) => {
  emit("loop.told.v1", { n });
  return await work(n);
});

export const tellsNul = workflow("loop.tells-nul.v1", async () => {
  emit("loop.nul\0.v1", 1);
  return await work(1);
});

export const mourning = workflow(
  "loop.mourning.v1",
  async (input: { payload: number; error: unknown }) =>
    [input.payload, input.error instanceof RangeError, await work(input.payload)] as const,
);

/** What it hears makes it write what no database takes. */
export const hearsTooMuch = workflow("loop.hears-too-much.v1", async (n: number) => {
  const open = work(n);
  await news.wait();
  emit("loop.nul\0.v1", 1);
  return await open;
});

export const spinsBesideCall = workflow(
  "loop.spins-beside-call.v1",
  async (input: { count: number; rounds: number }) => {
    const open = work(input.count);
    let sum = 0;
    for (let each = 0; each < input.count; each++) {
      await news.wait();
      for (let i = 0; i < input.rounds; i++) sum = (sum * 31 + i) % 1_000_003;
    }
    return [sum, await open];
  },
);

export const manyChildren = workflow("loop.many-children.v1", async (n: number) => {
  const all = await Promise.all(Array.from({ length: n }, (_, index) => oneCall(index)));
  return all.length;
});
