import type pg from "pg";
import { expect, it } from "vitest";
import { claimByAge, claimFromFront } from "../../src/store/claim-runs.ts";
import { commitTransitions } from "../../src/store/commit-transitions.ts";
import { envelopesOf, runsWithMail, sendMail, sweepMail } from "../../src/store/mail.ts";
import { keepOwners, releaseOwner, takeOver } from "../../src/store/owners.ts";
import { startRuns } from "../../src/store/start-runs.ts";
import { newTransition, type Transition } from "../../src/store/transition.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { until } from "../support/test-engine.ts";
import { type StoreBed, storeBed, type TestOwner } from "../support/test-store.ts";

/** Small and seeded: what a test does must be repeatable. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Of runs that are held: some park, some are marked, some end and tell another run. */
function transitionOf(runId: string, other: string, kind: number, at: number): Transition {
  const transition = newTransition(runId);
  const common = { runId, attempt: 1, lastError: null, pastDeadline: false, deleteReason: null };
  if (kind === 0)
    transition.parked.push({ ...common, wakeAt: at, phase: "sleeping", waitingFor: null, callsOut: false });
  else if (kind === 1) transition.marks.push({ ...common, phase: "running", waitingFor: null });
  else {
    transition.ended.push({
      ...common,
      status: "succeeded",
      result: "1",
      error: null,
      trace: null,
      startedAt: at,
      endedAt: at,
      afterInput: 0,
    });
    transition.mail.push({ runId: other, kind: "signal", call: null, name: "ended", value: "1" });
  }
  transition.events.push({ runId, kind: "progress", data: "1", at, afterInput: 0 });
  return transition;
}

async function workAsOwner(
  bed: StoreBed,
  owner: TestOwner,
  chance: (below: number) => number,
  rounds: number,
): Promise<void> {
  const { client, id } = owner;
  for (let round = 0; round < rounds; round += 1) {
    const claimed = await (chance(2) === 0
      ? claimFromFront(client, id, "default:*", 1 + chance(8))
      : claimByAge(client, id, "default:*", 1 + chance(8), 0));
    const ids = claimed.map((run) => run.id).sort(() => chance(3) - 1);
    const now = Date.now();
    await envelopesOf(client, await runsWithMail(client, id)).next();
    if (ids.length > 0) {
      await commitTransitions(
        client,
        id,
        ids.map((run) => transitionOf(run, ids[chance(ids.length)]!, chance(3), now)),
      );
    }
    await startRuns(client, chance(2) === 0 ? id : null, [await bed.newRun(), await bed.newRun()]);
  }
}

async function interfere(client: pg.Client, chance: (below: number) => number, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const { rows } = await client.query<{ id: string }>(
      "SELECT run_id AS id FROM cairn.queue ORDER BY random() LIMIT 1",
    );
    const id = rows[0]?.id;
    if (id === undefined) continue;
    const deeds: readonly (() => Promise<unknown>)[] = [
      () => client.query("SELECT cairn.cancel_run($1)", [id]),
      () => client.query("SELECT cairn.delete_run($1)", [id]),
      () => sendMail(client, [{ runId: id, kind: "signal", call: null, name: "x", value: "1" }]),
      () => wakeRuns(client),
      () => takeOver(client),
      () => sweepMail(client),
    ];
    await deeds[chance(deeds.length)]!();
  }
}

it.each([11, 12, 13])("owners, take-overs and users who work at once never deadlock (seed %i)", async (seed) => {
  const bed = await storeBed();
  const before = await bed.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  await startRuns(bed.client, null, await Promise.all(Array.from({ length: 60 }, () => bed.newRun())));
  const owners = await Promise.all([1, 2, 3].map(() => bed.owner()));
  const others = await Promise.all([1, 2, 3].map(() => bed.connect()));
  const keeping = await bed.connect();
  await Promise.all([
    ...owners.map((owner, index) => workAsOwner(bed, owner, seeded(seed * 10 + index), 40)),
    ...others.map((client, index) => interfere(client, seeded(seed * 10 + 5 + index), 80)),
    (async () => {
      for (let round = 0; round < 40; round += 1)
        await keepOwners(
          keeping,
          owners.map(({ id }) => id),
        );
    })(),
  ]);
  await Promise.all(owners.map(({ client, id }) => releaseOwner(client, id)));
  const after = await bed.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  expect(after).toEqual(before);
  // Whatever is live has a row in the queue, and nothing else has but deleted runs whose owners have yet to read of it.
  const broken =
    await bed.query(`SELECT r.id, r.status, q.state FROM cairn.runs AS r FULL JOIN cairn.queue AS q ON q.run_id = r.id
    WHERE (q.run_id IS NOT NULL) <> (r.status = 'pending' AND r.deleted_at IS NULL)
      AND NOT EXISTS (SELECT FROM cairn.mailbox AS m WHERE m.run_id = q.run_id AND m.kind = 'delete')`);
  expect(broken).toEqual([]);
});

it("nobody waits for a row of the queue that someone's transaction has locked, but who wants that very run", async () => {
  const bed = await storeBed();
  const owner = await bed.owner();
  const [locked, other] = [await bed.newRun(), await bed.newRun()];
  await startRuns(bed.client, null, [locked, other]);
  await bed.sql.query("BEGIN");
  await bed.query("SELECT cairn.cancel_run($1)", locked.id);
  await owner.client.query("SET lock_timeout = 200");
  expect(await claimFromFront(owner.client, owner.id, "default:*", 10)).toMatchObject([{ id: other.id }]);
  await wakeRuns(owner.client);
  await takeOver(bed.client);
  await sweepMail(owner.client);
  await sendMail(owner.client, [{ runId: locked.id, kind: "signal", call: null, name: "x", value: "1" }]);
  await expect(owner.client.query("SELECT cairn.cancel_run($1)", [locked.id])).rejects.toMatchObject({ code: "55P03" });
  await bed.sql.query("ROLLBACK");
});

it("a claim and a cancellation of the same run: whichever is first, the run is ended or told", async () => {
  const bed = await storeBed();
  const owner = await bed.owner();
  const user = await bed.connect();
  const run = await bed.newRun();
  await startRuns(bed.client, null, [run]);
  await owner.client.query("BEGIN");
  expect(await claimFromFront(owner.client, owner.id, "default:*", 1)).toHaveLength(1);
  const cancelled = user.query("SELECT cairn.cancel_run($1, 'late') AS done", [run.id]);
  await until(async () => (await bed.query("SELECT FROM pg_locks WHERE NOT granted")).length > 0);
  await owner.client.query("COMMIT");
  expect((await cancelled).rows).toEqual([{ done: true }]);
  expect(await runsWithMail(bed.client, owner.id)).toEqual([run.id]);
  const mail = await bed.query("SELECT kind, value FROM cairn.mailbox");
  expect(mail).toEqual([{ kind: "cancel", value: "late" }]);
});
