import { expect, it } from "vitest";
import { openRest } from "../support/test-rest.ts";
import { approved, sums } from "../workflows/basics.ts";

type Json = Readonly<Record<string, unknown>>;

const pathOf = (type: string, name: string): string =>
  `/schedules/${encodeURIComponent(type)}/${encodeURIComponent(name)}`;

it("schedules are made, looked at, paused, resumed, triggered, backfilled and deleted, over REST", async () => {
  const rest = await openRest();
  const morning = pathOf(sums.name, "every morning");
  const settings = {
    payload: { n: 3 },
    jitterMs: 1_000,
    catchUp: "none",
    priority: 3,
    tags: ["t"],
    deadlineMs: 60_000,
  };
  const made = await rest.ask("PUT", morning, { cron: "30 9 * * MON-FRI", timeZone: "Europe/Berlin", ...settings });
  expect(made).toMatchObject({
    status: 200,
    body: { type: sums.name, name: "every morning", ...settings, status: "active", everyMs: null, fired: 0 },
  });
  const anchor = "2026-01-01T01:00:00+01:00";
  const sweep = pathOf(approved.name, "a/b ü");
  const other = await rest.ask("PUT", sweep, { everyMs: 3_600_000, anchor });
  expect(other.body).toMatchObject({
    everyMs: 3_600_000,
    anchor: "2026-01-01T00:00:00.000Z",
    cron: null,
    timeZone: null,
  });
  const shown = await rest.ask("GET", `${morning}?upcoming=2`);
  expect(shown.body).toMatchObject({ ...made.body, upcoming: [made.body["nextRunAt"], expect.any(String)] });
  expect((await rest.ask("GET", `${sweep}?upcoming=0`)).body["upcoming"]).toEqual([]);

  const [first] = (await rest.ask("GET", "/schedules?limit=1")).body["items"] as Json[];
  const names = async (query: string): Promise<unknown[]> =>
    ((await rest.ask("GET", `/schedules${query}`)).body["items"] as Json[]).map(({ name }) => name);
  const { next } = (await rest.ask("GET", "/schedules?limit=1")).body;
  expect([first!["name"], ...(await names(`?cursor=${encodeURIComponent(String(next))}`))]).toEqual(await names(""));
  expect(await names(`?type=${encodeURIComponent(sums.name)}`)).toEqual(["every morning"]);

  const paused = await rest.ask("POST", `${sweep}/pause`, { reason: "holidays" });
  expect(paused).toMatchObject({ status: 200, body: { status: "paused", pauseReason: "holidays", nextRunAt: null } });
  expect(await names("?status=paused")).toEqual(["a/b ü"]);
  const kept = await rest.ask("PUT", sweep, { everyMs: 3_600_000, anchor, reactivate: false });
  expect(kept.body).toMatchObject({ status: "paused", pauseReason: "holidays" });
  expect((await rest.ask("POST", `${sweep}/resume`)).body).toMatchObject({ status: "active", pauseReason: null });

  const run = await rest.ask("POST", `${sweep}/trigger`);
  expect(run).toMatchObject({ status: 201, body: { id: expect.any(String) } });
  expect(await rest.ask("GET", `/runs/${String(run.body["id"])}`)).toMatchObject({ body: { type: approved.name } });
  const busy = await rest.ask("POST", `${sweep}/trigger`, {});
  expect(busy).toMatchObject({ status: 409, body: { code: "ScheduleBusy" } });
  expect(await rest.ask("POST", `${sweep}/trigger`, { allowDuplicate: true })).toMatchObject({ status: 201 });

  const ago = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
  const filled = await rest.ask("POST", `${sweep}/backfill`, { from: ago(3) });
  expect(filled).toMatchObject({ status: 200, body: { started: 3 } });
  expect(await rest.ask("POST", `${sweep}/backfill`, { from: ago(3), to: ago(0.1) })).toMatchObject({
    body: { started: 0 },
  });

  expect(await rest.ask("DELETE", sweep)).toMatchObject({
    status: 200,
    body: { type: approved.name, name: "a/b ü" },
  });
  expect(await names("")).toEqual(["every morning"]);

  const refusals: [string, string, unknown, number, string, string][] = [
    ["PUT", sweep, { cron: "61 * * * *" }, 400, "InvalidOption", 'The cron expression "61 * * * *" is malformed'],
    ["PUT", sweep, { cron: "* * *" }, 400, "InvalidOption", "has 3 fields: it takes minute"],
    ["PUT", sweep, { cron: "@daily", timeZone: "Berlin" }, 400, "InvalidOption", 'Did you mean "Europe/Berlin"?'],
    ["PUT", sweep, { cron: "@daily", everyMs: 5_000 }, 400, "InvalidOption", "and not both"],
    ["PUT", sweep, {}, 400, "InvalidOption", "and not neither"],
    ["PUT", sweep, { everyMs: 5_000, evry: 1 }, 400, "InvalidMessage", "evry"],
    ["PUT", sweep, { everyMs: 5_000, payload: { $date: "x" } }, 400, "InvalidInput", ""],
    ["PUT", sweep, { everyMs: 5_000, payload: "x".repeat(300_000) }, 413, "PayloadTooLarge", "at most 262144 bytes"],
    ["PUT", pathOf("none.v1", "x"), { everyMs: 5_000 }, 404, "UnknownType", "Nothing is registered as none.v1"],
    ["PUT", pathOf(sums.name, "\0"), { everyMs: 5_000 }, 400, "InvalidMessage", "cannot be stored"],
    ["GET", sweep, undefined, 404, "NotFound", `${approved.name} has no schedule a/b ü`],
    ["DELETE", sweep, undefined, 404, "NotFound", "has no schedule"],
    ["POST", `${sweep}/pause`, undefined, 404, "NotFound", "has no schedule"],
    ["POST", `${sweep}/resume`, undefined, 404, "NotFound", "has no schedule"],
    ["POST", `${sweep}/trigger`, undefined, 404, "NotFound", "has no schedule"],
    ["POST", `${sweep}/backfill`, { from: ago(3) }, 404, "NotFound", "has no schedule"],
    ["POST", `${morning}/backfill`, { from: ago(3), to: ago(9) }, 400, "InvalidOption", "to a later one"],
    ["POST", `${morning}/backfill`, { from: ago(3), to: ago(-9) }, 400, "InvalidOption", "is for the past"],
    ["POST", `${morning}/backfill`, { from: "0001-01-01T00:00:00Z" }, 400, "InvalidOption", "from is a Date"],
    ["POST", `${morning}/backfill`, { from: "monday" }, 400, "InvalidMessage", "from: must be a time such as"],
    ["GET", "/schedules?cursor=x", undefined, 400, "InvalidMessage", "The cursor is not one"],
    ["GET", "/schedules?status=x", undefined, 400, "InvalidMessage", "must be active or paused"],
    ["GET", `${morning}?namespace=other`, undefined, 404, "NotFound", "has no schedule"],
    ["DELETE", `${morning}?namespace=other`, undefined, 404, "NotFound", "has no schedule"],
    ["POST", `${morning}/trigger?namespace=other`, undefined, 404, "NotFound", "has no schedule"],
  ];
  for (const [method, path, body, status, code, detail] of refusals) {
    const answer = await rest.ask(method, path, body);
    expect(answer, `${method} ${path}`).toMatchObject({ status, body: { code } });
    expect(answer.body["detail"]).toContain(detail);
  }
  expect((await rest.ask("GET", "/schedules?namespace=other")).body).toEqual({ items: [], next: null });
  // Times that cannot be written are left out.
  const rare = pathOf(sums.name, "rare");
  await rest.ask("PUT", rare, { everyMs: 3_153_600_000_000, anchor: "9999-01-01T00:00:00Z", payload: { n: 1 } });
  expect((await rest.ask("GET", `${rare}?upcoming=100`)).body["upcoming"]).toEqual(["9999-01-01T00:00:00.000Z"]);
  expect(rest.warnings).toEqual([]);
});
