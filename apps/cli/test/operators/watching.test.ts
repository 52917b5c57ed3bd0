import type { LiveEvent } from "@cairnjs/schemas/rest";
import { expect, it } from "vitest";
import { freePorts } from "../processes/processes.ts";
import { operated } from "./plane.ts";

const plane = operated();
const LOST = /^cairn: .*; it is tried again$/gm;

/** Waits until it watches: what happens before is none of its concern. */
async function watching(...args: string[]): Promise<ReturnType<typeof plane.process>> {
  const before = await watchers();
  const command = plane.process("events", "watch", ...args);
  while ((await watchers()) <= before) await new Promise((resolve) => setTimeout(resolve, 20));
  return command;
}

async function watchers(): Promise<number> {
  const text = await (await fetch(`${plane.url}/metrics`)).text();
  return Number(/^cairn_live_clients\{kind="events"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

it("cairn events watch: one line an event, by type, kind and tag, until Ctrl-C", async () => {
  const text = await watching("--type", "shop.*", "--kind", "created,succeeded");
  const json = await watching("--tag", "blue", "--json");
  const [first, second] = [
    await plane.start("shop.checkout.v1", { order: "A-1", cents: 1 }),
    await plane.start("shop.checkout.v1", { order: "A-2", cents: 2 }, { tags: ["blue"] }),
  ];
  await Promise.all([
    text.says(`${second} shop.checkout.v1 succeeded`),
    text.says(`${first} shop.checkout.v1 succeeded`),
    json.says('"kind":"succeeded"'),
  ]);
  text.child.kill("SIGINT");
  json.child.kill("SIGINT");
  expect(await Promise.all([text.ended, json.ended])).toEqual([0, 0]);
  const lines = text.stdout().trimEnd().split("\n");
  expect(lines).toHaveLength(4);
  for (const line of lines)
    expect(line).toMatch(/^[0-9T:.-]+Z [0-9a-f-]{36} shop\.checkout\.v1 (created \{.*\}|succeeded.*)$/);
  const events = json
    .stdout()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as LiveEvent);
  expect(events.map(({ runId, type }) => [runId, type])).toEqual(events.map(() => [second, "shop.checkout.v1"]));
  expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["created", "started", "succeeded"]));
  // Another one goes on behind what this one has seen.
  const again = plane.process("events", "watch", "--tag", "blue", "--json", "--after", events[0]!.cursor);
  await again.says('"kind":"succeeded"');
  again.child.kill("SIGTERM");
  expect(await again.ended).toBe(0);
  expect(again.stdout()).toBe(json.stdout().slice(json.stdout().indexOf("\n") + 1));
});

it("both go on over a control plane that ends and comes back: each event once, and once that it was lost", async () => {
  const waiting = await plane.start("shop.approving.v1", undefined, { tags: ["red"] });
  await plane.untilStatus(waiting, "waiting");
  const run = plane.process("runs", "watch", waiting);
  const events = await watching("--tag", "red");
  await run.says("waiting for the signal approval");
  const before = await plane.start("shop.approving.v1", undefined, { tags: ["red"] });
  await events.says(`${before} shop.approving.v1 started`);
  const open = await plane.close();
  await Promise.all([run.says(LOST), events.says(LOST)]);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await open();
  const after = await plane.start("shop.approving.v1", undefined, { tags: ["red"] });
  const signalled = await plane.cairn("runs", "signal", waiting, "approval", "--value", '{"by":"ada"}');
  expect(signalled.code).toBe(0);
  await Promise.all([
    events.says(`${after} shop.approving.v1 started`),
    events.says(`${waiting} shop.approving.v1 succeeded`),
  ]);
  expect(await run.ended).toBe(0);
  events.child.kill("SIGINT");
  expect(await events.ended).toBe(0);
  for (const [id, kind] of [
    [before, "created"],
    [before, "started"],
    [after, "created"],
    [waiting, "succeeded"],
  ] as const) {
    expect(events.stdout().split(`${id} shop.approving.v1 ${kind}`), kind).toHaveLength(2);
  }
  expect(events.text().match(LOST)).toHaveLength(1);
  expect(run.text().match(LOST)).toHaveLength(1);
  expect(run.stdout()).toMatch(
    /^· created .*\n(.*\n)*✓ approval → \{"by":"ada"\}\n(.*\n)*✓ succeeded "approved by ada"\n$/,
  );
  expect(run.stdout().match(/^· created/gm)).toHaveLength(1);
});

it("what is wrong is one line", async () => {
  const [port = ""] = await freePorts(1);
  const cases: [string[], number, string][] = [
    [["--kind", "gone"], 1, "InvalidMessage: kind.0: must be one of created"],
    [["--after", "x"], 1, "InvalidMessage"],
    [["--api-url", `http://127.0.0.1:${port}`], 1, `No control plane answers at http://127.0.0.1:${port}`],
    [["--knd", "failed"], 2, "Did you mean --kind?"],
  ];
  for (const [args, code, says] of cases) {
    const ran = await plane.cairn("events", "watch", ...args);
    expect(ran, args.join(" ")).toMatchObject({ code, stdout: "", text: expect.stringContaining(says) as string });
    if (code === 1) expect(ran.text.trimEnd().split("\n")).toHaveLength(1);
  }
});
