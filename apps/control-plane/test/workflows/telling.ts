import { action, emit, sleep, workflow } from "cairnjs";

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
