import { type Judgement, judge } from "./judge.ts";
import { readTest } from "./suite.ts";

/**
 * Judges tests one after the other. Tests are full of rejections that nobody handles, which a process or a test
 * runner would take for its own: its listeners are put aside meanwhile.
 */
export async function judgeAll(paths: readonly string[]): Promise<Judgement[]> {
  process.env["TZ"] = "UTC";
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", ignore);
  try {
    const judgements: Judgement[] = [];
    for (const path of paths) judgements.push(await judge(readTest(path)));
    return judgements;
  } finally {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    process.off("unhandledRejection", ignore);
    for (const listener of listeners) process.on("unhandledRejection", listener);
  }
}

function ignore(): void {}
