import { action, workflow } from "cairnjs";

const charge = action("charge", async (amount: number) => amount);

export default workflow("samples.tryFinally", async (amounts: number[]) => {
  const log: string[] = [];
  const first = async (): Promise<number> => {
    for (const amount of amounts) {
      try {
        if (amount === 0) continue;
        if (amount < 0) break;
        return await charge(amount);
      } catch ({ message }: any) {
        log.push(message);
      } finally {
        log.push("done");
      }
    }
    return 0;
  };
  try {
    try {
      return [await first(), log];
    } finally {
      log.push("inner");
    }
  } finally {
    await charge(0);
  }
});
