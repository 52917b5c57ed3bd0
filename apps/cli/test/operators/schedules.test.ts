import { expect, it } from "vitest";
import { freePorts } from "../processes/processes.ts";
import { operated } from "./plane.ts";

const plane = operated();

const TYPE = "shop.approving.v1";
const BROKEN = "shop.broken.v1";

it("cairn schedules: sets, lists, shows, pauses, resumes, triggers, backfills and deletes", async () => {
  const of = (command: string, ...args: string[]) => plane.cairn("schedules", command, TYPE, ...args);
  const json = (command: string, ...args: string[]) =>
    plane.json<Record<string, unknown>>("schedules", command, TYPE, ...args);
  const none = await plane.cairn("schedules", "list");
  expect(none).toMatchObject({ code: 0, stdout: "", text: expect.stringContaining("there are no such schedules") });
  const cron = ["--cron", "30 9 * * MON-FRI", "--time-zone", "Europe/Berlin", "--jitter", "90s"];
  const more = ["--input", '"B-2"', "--catch-up", "none", "--priority", "-5", "--tags", "a, b", "--deadline", "2h"];
  const [set, other] = await Promise.all([
    plane.cairn("schedules", "set", BROKEN, "morning", ...cron, ...more, "--allow-duplicate", "--max-attempts", "2"),
    json("set", "sweep", "--every", "90m", "--anchor", "2026-01-01T00:00:00Z"),
  ]);
  expect(set.code, set.text).toBe(0);
  expect(set.stdout).toMatch(/^shop\.broken\.v1 morning: active, next \S+T\d\d:30:00.000Z \(in \d+ \w+\)\n$/);
  expect(other).toMatchObject({ name: "sweep", everyMs: 5_400_000, anchor: "2026-01-01T00:00:00.000Z", jitterMs: 0 });
  const [list, listed, show, shown] = await Promise.all([
    plane.cairn("schedules", "list"),
    plane.json<{ schedules: object[] }>("schedules", "list", "--status", "active", "--type", BROKEN),
    plane.cairn("schedules", "show", BROKEN, "morning", "--upcoming", "2"),
    plane.json<Record<string, unknown>>("schedules", "show", BROKEN, "morning", "--upcoming", "3"),
  ]);
  const lines = list.stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^TYPE +NAME +WHEN +STATUS +NEXT +LAST +STARTED +SKIPPED +MISSED$/);
  expect(lines[2]).toMatch(/^shop\.broken\.v1 +morning +30 9 \* \* MON-FRI Europe\/Berlin \+ up to 90 s +active +in /);
  expect(lines[1]).toMatch(/^shop\.approving\.v1 +sweep +every 90 min +active +in \d+ \w+ +0 +0 +0$/);
  expect(listed.schedules).toMatchObject([{ name: "morning", payload: "B-2", priority: -5, tags: ["a", "b"] }]);
  expect(show.stdout).toMatch(/^schedule +shop\.broken\.v1 {2}morning\nwhen +30 9 /);
  expect(show.stdout).toContain('input     "B-2"');
  expect(show.stdout).toMatch(/\nnext {6}\S+T\d\d:30:00\.000Z {2}in \d+ \w+\nthen {6}\S+Z {2}in \d+ \w+\n$/);
  expect(shown).toMatchObject({ maxAttempts: 2, deadlineMs: 7_200_000, allowDuplicate: true, catchUp: "none" });
  expect(shown["upcoming"]).toHaveLength(3);

  expect(await of("pause", "sweep", "--reason", "holidays")).toMatchObject({
    code: 0,
    stdout: "shop.approving.v1 sweep: paused\n",
  });
  const [kept, pausedList] = await Promise.all([
    json("set", "sweep", "--every", "90m", "--keep-paused"),
    plane.cairn("schedules", "list", "--status", "paused"),
  ]);
  expect(kept).toMatchObject({ status: "paused", pauseReason: "holidays" });
  expect(pausedList.stdout).toMatch(/paused .* holidays\n$/);
  expect(await json("resume", "sweep")).toMatchObject({ status: "active", nextRunAt: expect.any(String) });
  const triggered = await of("trigger", "sweep");
  expect(triggered).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
  const [busy, beside, filled, text] = await Promise.all([
    of("trigger", "sweep"),
    json("trigger", "sweep", "--allow-duplicate"),
    json("backfill", "sweep", "--from", "2026-01-01T00:00:00Z", "--to", "2026-01-01T03:00:00Z"),
    of("backfill", "sweep", "--from", "1s"),
  ]);
  expect(busy).toMatchObject({
    code: 1,
    stdout: "",
    text: expect.stringContaining("ScheduleBusy: A run of the schedule"),
  });
  expect(beside).toMatchObject({ id: expect.any(String) });
  expect(filled).toEqual({ started: 3 });
  expect(text).toMatchObject({ code: 0, stdout: "0 runs started\n" });
  const [deleted, gone] = await Promise.all([
    of("delete", "sweep"),
    plane.json("schedules", "delete", BROKEN, "morning", "--yes"),
  ]);
  expect(deleted).toMatchObject({ code: 0, stdout: "shop.approving.v1 sweep: deleted\n" });
  expect(gone).toEqual({ type: BROKEN, name: "morning" });
});

it("what is wrong with a schedule is one line", async () => {
  const [port = ""] = await freePorts(1);
  const set = ["schedules", "set", TYPE, "x"];
  const cases: [string[], number, string][] = [
    [[...set, "--cron", "61 * * * *"], 1, 'InvalidOption: The cron expression "61 * * * *" is malformed'],
    [[...set, "--cron", "@daily", "--time-zone", "Mars/Phobos"], 1, 'InvalidOption: "Mars/Phobos" is no time zone'],
    [[...set, "--every", "soon"], 2, '--every is a length of time such as 90s, 15m, 2h or 7d, not "soon"'],
    [[...set, "--every", "1h", "--input", "{"], 2, "--input is not JSON"],
    [[...set, "--every", "1h", "--priority", "high"], 2, "It must be a whole number"],
    [["schedules", "set", "none.v1", "x", "--every", "1h"], 1, "UnknownType: Nothing is registered as none.v1"],
    [["schedules", "show", TYPE, "x"], 1, `NotFound: ${TYPE} has no schedule x`],
    [["schedules", "backfill", TYPE, "x"], 2, "--from <time>"],
    [["schedules", "list", "--status", "x"], 1, "InvalidMessage: status: must be active or paused"],
    [["schedules", "lst"], 2, "Did you mean list?"],
    [["schedules", "list", "--api-url", `http://127.0.0.1:${port}`], 1, "No control plane answers at"],
  ];
  await Promise.all(
    cases.map(async ([args, code, says]) => {
      const ran = await plane.cairn(...args);
      expect(ran.text, args.join(" ")).toContain(says);
      expect({ code: ran.code, stdout: ran.stdout }, args.join(" ")).toEqual({ code, stdout: "" });
      if (code === 1) expect(ran.text.trimEnd().split("\n"), ran.text).toHaveLength(1);
    }),
  );
});
