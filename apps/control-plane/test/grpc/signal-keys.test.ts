import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { pb } from "@cairnjs/protocol";
import { expect, it } from "vitest";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed } from "../support/test-engine.ts";
import { ask, clientMethods, connectTo, registerFlows, startRuns } from "../support/test-worker.ts";

it("the key of a signal is that of its run: the same one for another run, or in another namespace, loses nothing", async () => {
  const bed = await testBed();
  const client = connectTo((await openPlane(bed)).port);
  const waiting = [{ type: "remote.waiting", input: "x" }];
  for (const namespace of ["default", "other"]) await registerFlows(client, namespace);
  await startRuns(client, [...waiting, ...waiting], "default");
  await startRuns(client, waiting, "other");
  const runs = await bed.query<{ id: string; namespace: string }>("SELECT id, namespace FROM cairn.runs");
  expect(runs).toHaveLength(3);
  const key = randomUUID();
  const signal = ({ id: runId, namespace }: { id: string; namespace: string }): Promise<unknown> => {
    const value = { content: { case: "json" as const, value: "1" } };
    const message = create(pb.SignalRequestSchema, { namespace, runId, name: "unheard", key, value });
    return ask(client, clientMethods.signal, message);
  };
  for (const run of runs) await signal(run);
  const sent = async (): Promise<number> => (await bed.query("SELECT FROM cairn.sent_letters")).length;
  expect(await sent()).toBe(3);
  // Asked again, it is not sent again.
  for (const run of runs) await signal(run);
  expect(await sent()).toBe(3);
});
