import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withRejections } from "./run/rejections.ts";
import { Session, showFailure } from "./session.ts";

/** Fixed, so that tests are the same everywhere; `npm run fuzz` takes others. */
const SEED = 20_260_131;
/** All of it takes minutes, most of them for machines that are restored at every instruction: `npm test` runs a part, `npm run longest` all. */
const isAll = process.env["CAIRN_LONGER"] === "all";
const RANDOM_BODIES = isAll ? 80 : 3;

describe("bodies do on the machine what they do in Node.js", () => {
  let session: Session;
  let finish: () => void = () => undefined;
  let finished: Promise<void>;

  beforeAll(async () => {
    await new Promise<void>((ready, fail) => {
      finished = withRejections(async (rejections) => {
        session = await Session.open(SEED, rejections);
        const end = new Promise<void>((resolve) => (finish = resolve));
        ready();
        await end;
      });
      finished.catch(fail);
    });
  });

  afterAll(async () => {
    finish();
    await finished;
    console.log(`seed ${SEED}: ${session.summary()}`);
    if (isAll) console.log(session.coverage.report());
  });

  const expectNoFailure = (): void => expect(session.failures.map(showFailure).join("\n")).toBe("");

  test("every built-in of the list", { timeout: 240_000 }, async () => {
    await session.probeBuiltins(isAll ? 2 : 1, isAll);
    expectNoFailure();
    expect(session.coverage.missingBuiltins()).toEqual([]);
  });

  test("random bodies", { timeout: 240_000 }, async () => {
    await session.checkRandom(SEED, RANDOM_BODIES);
    expectNoFailure();
  });

  if (!isAll) return;

  test("every production of the generator", { timeout: 240_000 }, async () => {
    await session.useProductions();
    expectNoFailure();
  });

  test("hand-written bodies of the size that people write", { timeout: 240_000 }, async () => {
    await session.checkCorpus();
    expectNoFailure();
  });

  test("together they cover the lowering table, the list of built-ins and the instructions", () => {
    expect(session.coverage.isComplete, session.coverage.report()).toBe(true);
  });
});
