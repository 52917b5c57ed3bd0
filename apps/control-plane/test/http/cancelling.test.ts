import { createClient } from "cairnjs/client";
import { expect, it } from "vitest";
import { openRest } from "../support/test-rest.ts";
import { approved, sums } from "../workflows/basics.ts";

it("a run that has ended refuses to be cancelled; one that is cancelled already is what is wanted", async () => {
  const rest = await openRest();
  const ended = await rest.start(sums.name, { n: 1 });
  await rest.result(ended);
  const client = createClient({ url: `http://127.0.0.1:${rest.plane.httpPort}` });
  expect(await rest.ask("POST", `/runs/${ended}/cancel`)).toMatchObject({ status: 409, body: { code: "RunEnded" } });
  await expect(client.run(ended).cancel()).rejects.toMatchObject({ code: "RunEnded", status: 409 });
  for (const others of [{}, { runAt: "2126-01-01T00:00:00Z" }]) {
    const id = await rest.start(approved.name, undefined, others);
    for (let times = 0; times < 2; times++)
      expect(await rest.ask("POST", `/runs/${id}/cancel`, { reason: "enough" })).toMatchObject({ status: 202 });
    await rest.result(id);
    expect(await rest.ask("POST", `/runs/${id}/cancel`)).toMatchObject({ status: 202, body: { status: "cancelled" } });
    await client.run(id).cancel();
    await rest.ask("DELETE", `/runs/${id}`);
    expect(await rest.ask("POST", `/runs/${id}/cancel`)).toMatchObject({ status: 410, body: { code: "RunDeleted" } });
  }
  expect(rest.warnings).toEqual([]);
});

it("an Idempotency-Key is taken, or refused: nobody counts on one that nobody looks at", async () => {
  const rest = await openRest();
  const id = await rest.start(approved.name);
  const headers = { "idempotency-key": "one" };
  await rest.ask("PUT", `/schedules/${sums.name}/daily`, { everyMs: 1e9 }, headers);
  const refused: [path: string, body: object][] = [
    [`/runs/${id}/tokens`, { signal: "approval" }],
    ["/keys", { name: "x", scopes: ["read"] }],
    [`/schedules/${sums.name}/daily/pause`, {}],
  ];
  for (const [path, body] of refused) {
    const answer = await rest.ask("POST", path, body, headers);
    expect(answer, path).toMatchObject({ status: 400, body: { code: "InvalidMessage" } });
    expect(answer.body["detail"]).toContain("Idempotency-Key");
  }
  // The same order under the same key is one, whatever was ordered between.
  for (const order of ["pause", "resume", "pause", "cancel", "restore"])
    expect((await rest.ask("POST", `/runs/${id}/${order}`, {}, headers)).status, order).toBe(202);
  const letters = await rest.bed.query<{ kind: string }>(
    "SELECT kind FROM cairn.run_events WHERE run_id = $1 AND kind IN ('paused', 'resumed') ORDER BY id",
    id,
  );
  expect(letters.length).toBeLessThanOrEqual(2);
  const client = createClient({ url: `http://127.0.0.1:${rest.plane.httpPort}` });
  const other = client.run(await rest.start(approved.name));
  expect(await other.waitToken("approval")).toMatchObject({ url: expect.any(String) });
  for (const order of ["pause", "resume", "restore", "cancel"] as const) await other[order]();
  expect(rest.warnings).toEqual([]);
});
