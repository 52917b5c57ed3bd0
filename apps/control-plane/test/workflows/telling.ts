import { action, compensate, emit, progress, signal, sleep, workflow } from "cairnjs";

interface Announced {
  readonly count: number;
  /** Which of them nobody should be able to take. */
  readonly poison?: number;
}

/** Emits so many events, each in a transition of its own. */
export const announce = workflow("telling.announce.v1", async ({ count, poison = -1 }: Announced) => {
  for (let number = 0; number < count; number++) {
    emit("order.paid.v1", { number, poison: number === poison });
    await sleep(1);
  }
  return count;
});

/** All in one. */
export const announceAll = workflow("telling.announce_all.v1", async (count: number) => {
  for (let number = 0; number < count; number++) emit("order.paid.v1", { number, poison: false });
});

const decline = action("telling.decline", { retry: { attempts: 1 } }, async (): Promise<void> => {
  throw new Error("declined");
});

export const declined = workflow("telling.declined.v1", async () => decline());

const go = signal<string>("go");

/** Does what has events of its own. */
export const eventful = workflow("telling.eventful.v1", async (key: string) => {
  console.log("began", key);
  progress({ done: 1 });
  compensate(decline);
  // Nobody looks at what becomes of it.
  const unseen = decline();
  const word = await go.wait();
  console.log(typeof unseen);
  if (word === "fail") throw new Error("told to");
  await sleep(1);
  return word;
});

const moody = action("telling.moody", { retry: { attempts: 2, baseMs: 1 } }, async (key: string) => {
  if (!tried.has(key)) {
    tried.add(key);
    throw new Error("not yet");
  }
  return key;
});
const tried = new Set<string>();

export const persistent = workflow("telling.persistent.v1", async (key: string) => moody(key));
