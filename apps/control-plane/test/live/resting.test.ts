import { expect, it } from "vitest";
import { until } from "../support/test-engine.ts";
import { openRest } from "../support/test-rest.ts";
import { type Heard, listen, tailsElsewhere } from "../support/test-tails.ts";
import { approved } from "../workflows/basics.ts";
import { sleepThenWork } from "../workflows/runloop.ts";

const RUNS = 50;
const WATCHERS = 1_000;

const hasStep = ({ told }: Heard, number: number): boolean =>
  told.some(({ kind, data }) => kind === "step" && (data as { number: number }).number === number);

it("1,000 who watch runs that nobody holds ask nothing of the database, and hear at once when one goes on elsewhere", async () => {
  const rest = await openRest();
  const ids = await Promise.all(Array.from({ length: RUNS }, () => rest.start(approved.name)));
  const parked = "SELECT FROM cairn.queue WHERE state = 'parked' AND phase = 'waiting'";
  await until(async () => (await rest.bed.query(parked)).length === RUNS);
  const elsewhere = tailsElsewhere(rest.bed);
  const all = await Promise.all(
    Array.from({ length: WATCHERS }, async (_, index): Promise<Heard> => {
      const heard = { runId: ids[index % RUNS]!, told: [] };
      void listen(await elsewhere.tails.follow(heard.runId, approved.name, null), heard);
      return heard;
    }),
  );
  await until(async () => all.every((heard) => hasStep(heard, 1)));
  // As long as it takes until it is seen that nobody holds them.
  const quiet = await until(async () => {
    const before = elsewhere.asked;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return elsewhere.asked === before;
  });
  expect(quiet).toBe(true);
  const before = performance.now();
  await rest.ask("POST", `/runs/${ids[7]}/signal`, { name: "approval", value: "yes" });
  const those = all.filter(({ runId }) => runId === ids[7]);
  await until(async () => those.every((heard) => hasStep(heard, 2)));
  expect(performance.now() - before).toBeLessThan(2_000);
});

it("an input that a run takes elsewhere without an event is told soon, with one statement for all who watch it", async () => {
  const rest = await openRest();
  const elsewhere = tailsElsewhere(rest.bed);
  const id = await rest.start(sleepThenWork.name, 900);
  const all = await Promise.all(
    Array.from({ length: 100 }, async (): Promise<Heard> => {
      const heard = { runId: id, told: [] };
      void listen(await elsewhere.tails.follow(id, sleepThenWork.name, null), heard);
      return heard;
    }),
  );
  const taken = "SELECT FROM cairn.history WHERE run_id = $1 AND number = 2";
  await until(async () => (await rest.bed.query(taken, id)).length > 0);
  const before = performance.now();
  await until(async () => all.every((heard) => hasStep(heard, 2)));
  expect(performance.now() - before).toBeLessThan(2_000);
  expect(elsewhere.asked).toBeLessThan(100);
});
