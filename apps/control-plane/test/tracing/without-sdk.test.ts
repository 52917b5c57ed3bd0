import { expect, it } from "vitest";
import { outgoing } from "../../src/outbox/cloud-event.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed } from "../support/test-engine.ts";
import { failing, parent, telling } from "../workflows/traced.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

it("nobody traces a run whose starter has no SDK: nothing is stored, and nothing is around handlers", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const run = await cairn.start(parent, 1);
  expect(await run.result()).toEqual({ n: 5, seen: null });
  expect(await bed.query("SELECT DISTINCT traceparent FROM cairn.runs")).toEqual([{ traceparent: null }]);
});

it("what a client says is kept and handed on to children, for those who have an SDK", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const run = await cairn.start(parent, 1, { traceparent: TRACEPARENT });
  await run.result();
  const spanId = run.id.slice(19).replace("-", "");
  expect(await bed.query("SELECT type, traceparent FROM cairn.runs ORDER BY type DESC")).toEqual([
    { type: "traced.parent.v1", traceparent: TRACEPARENT },
    { type: "traced.child.v1", traceparent: TRACEPARENT.replace("b7ad6b7169203331", spanId) },
  ]);
});

it("events for others carry the span of their run, as CloudEvents has it", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const run = await cairn.start(failing, undefined, { traceparent: TRACEPARENT });
  await expect(run.result()).rejects.toThrow("it is wrong");
  const traceparent = TRACEPARENT.replace("b7ad6b7169203331", run.id.slice(19).replace("-", ""));
  expect(
    await bed.query("SELECT traceparent, cairn.run_span($1, run_id) AS same FROM cairn.outbox_events", TRACEPARENT),
  ).toEqual([{ traceparent, same: traceparent }]);
  const about = { id: 1, namespace: "default", runId: run.id, type: "test.v1", data: "{}", createdAt: 0 };
  expect(JSON.parse(outgoing({ ...about, traceparent }).json)).toMatchObject({ specversion: "1.0", traceparent });
  expect(JSON.parse(outgoing({ ...about, traceparent: null }).json)).not.toHaveProperty("traceparent");
});

it("refuses what is no traceparent as an option, in SQL too, and passes it over as a header", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  await (await cairn.start(telling)).result();
  const plane = await openPlane(bed, { listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" } });
  const nobodys = TRACEPARENT.replace(/-[0-9a-f]{16}-/, `-${"0".repeat(16)}-`);
  for (const traceparent of ["", "00-0-0-01", nobodys, TRACEPARENT.toUpperCase()]) {
    await expect(cairn.start(telling, undefined, { traceparent })).rejects.toMatchObject({ code: "InvalidOption" });
    const answer = await fetch(`http://127.0.0.1:${plane.httpPort}/v1/runs`, {
      method: "POST",
      headers: { "content-type": "application/json", traceparent },
      body: JSON.stringify({ type: "traced.telling.v1" }),
    });
    expect(answer.status).toBe(201);
    const sql = bed.query("SELECT cairn.start_run('traced.telling.v1', 'null', $1)", JSON.stringify({ traceparent }));
    await expect(sql).rejects.toMatchObject({ hint: "InvalidOption" });
  }
  expect(await bed.query("SELECT traceparent, count(*)::int AS runs FROM cairn.runs GROUP BY 1")).toEqual([
    { traceparent: null, runs: 5 },
  ]);
});
