import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withRejections } from "./run/rejections.ts";
import { Session, showFailure } from "./session.ts";

/** Fixed, so that `npm test` is the same everywhere; `npm run fuzz` takes others. */
const SEED = 20_260_131;
const RANDOM_BODIES = 80;

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
    console.log(`seed ${SEED}: ${session.summary()}\n${session.coverage.report()}`);
  });

  const expectNoFailure = (): void => expect(session.failures.map(showFailure).join("\n")).toBe("");

  test("every built-in of the list", { timeout: 240_000 }, async () => {
    await session.probeBuiltins(2);
    expectNoFailure();
  });

  test("every production of the generator", { timeout: 240_000 }, async () => {
    await session.useProductions();
    expectNoFailure();
  });

  test("hand-written bodies of the size that people write", { timeout: 240_000 }, async () => {
    await session.checkCorpus();
    expectNoFailure();
  });

  test("random bodies", { timeout: 240_000 }, async () => {
    await session.checkRandom(SEED, RANDOM_BODIES);
    expectNoFailure();
  });

  test("together they cover the lowering table, the list of built-ins and the instructions", () => {
    expect(session.coverage.isComplete, session.coverage.report()).toBe(true);
  });
});
