import { expect, it } from "vitest";
import { openRest } from "../support/test-rest.ts";
import { sums } from "../workflows/basics.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const USUAL = [
  { what: "events", type: "*", keep: "30d", changedAt: null },
  { what: "outbox", type: "*", keep: "7d", changedAt: null },
  { what: "runs", type: "*", keep: "forever", changedAt: null },
  { what: "deleted", type: "*", keep: "30d", changedAt: null },
  { what: "audit", type: "*", keep: "365d", changedAt: null },
];

it("rules of retention are set, listed and removed, and what is over is counted, each in its namespace", async () => {
  const rest = await openRest();
  expect((await rest.ask("GET", "/retention")).body).toEqual({ items: USUAL, next: null });
  const run = await rest.start(sums.name, { n: 2 });
  await rest.result(run);
  expect(await rest.ask("PUT", "/retention/runs/test.*", { keep: "2w" })).toMatchObject({
    status: 200,
    body: { what: "runs", type: "test.*", keep: "14d", changedAt: expect.any(String) },
  });
  await rest.ask("PUT", "/retention/deleted/*", { keep: "0s" });
  const list = await rest.ask("GET", "/retention");
  expect(list.body).toMatchObject({
    items: [...USUAL.slice(0, 3), { what: "runs", keep: "14d" }, { what: "deleted", keep: "0s" }, USUAL[4]],
  });
  expect((await rest.ask("GET", "/retention?namespace=other")).body).toMatchObject({ items: USUAL });
  expect((await rest.ask("GET", "/retention/preview")).body).toEqual({ types: [], outbox: [] });
  await rest.bed.advance(40 * DAY_MS);
  expect((await rest.ask("GET", "/retention/preview")).body).toEqual({
    types: [{ type: sums.name, runs: 1, events: 0 }],
    outbox: [],
  });
  expect((await rest.ask("GET", "/retention/preview?namespace=other")).body).toEqual({ types: [], outbox: [] });
  expect(await rest.ask("DELETE", "/retention/runs/test.*")).toMatchObject({
    status: 200,
    body: { what: "runs", type: "test.*" },
  });
  expect((await rest.ask("GET", "/retention/preview")).body).toMatchObject({ types: [{ runs: 0, events: 3 }] });
  const refusals = [
    ["PUT", "/retention/runs/x", { keep: "soon" }, 400, "InvalidMessage", "12h, 30d or 4w, or forever"],
    ["PUT", "/retention/runs/x", { keep: "30d", why: 1 }, 400, "InvalidMessage", "why"],
    ["PUT", "/retention/things/x", { keep: "30d" }, 400, "InvalidMessage", "what"],
    ["PUT", "/retention/runs/a**", { keep: "30d" }, 400, "InvalidMessage", "type"],
    ["DELETE", "/retention/runs/test.*", undefined, 404, "NotFound", "no rule for runs of test.*"],
    ["DELETE", "/retention/deleted/*?namespace=other", undefined, 404, "NotFound", "in other"],
  ] as const;
  for (const [method, path, body, status, code, detail] of refusals) {
    const answer = await rest.ask(method, path, body);
    expect(answer, `${method} ${path}`).toMatchObject({ status, body: { code } });
    expect(answer.body["detail"]).toContain(detail);
  }
});
