import { expect, it } from "vitest";
import { operated } from "./plane.ts";

const plane = operated();

it("cairn retention: lists, sets, previews and removes", async () => {
  const [list, listed, preview, set, more] = await Promise.all([
    plane.cairn("retention", "list"),
    plane.json<{ rules: object[] }>("retention", "list"),
    plane.cairn("retention", "preview"),
    plane.cairn("retention", "set", "runs", "billing.*", "90d", "--yes"),
    plane.json("retention", "set", "events", "chat.message.v1", "forever"),
  ]);
  const lines = list.stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^WHAT +TYPE +KEPT +SET$/);
  expect(list.stdout).toMatch(/\nevents +\* +30d +as usual\n/);
  expect(listed.rules).toContainEqual({ what: "outbox", type: "*", keep: "7d", changedAt: null });
  expect(preview).toMatchObject({ code: 0, stdout: "", text: expect.stringContaining("nothing is over") });
  expect(set).toMatchObject({ code: 0, stdout: "runs of billing.*: kept for 90d\n" });
  expect(more).toMatchObject({ what: "events", type: "chat.message.v1", keep: "forever" });
  const id = await plane.start("shop.approving.v1");
  expect(await plane.cairn("runs", "delete", id, "--yes")).toMatchObject({ code: 0 });
  expect(await plane.cairn("retention", "set", "deleted", "shop.*", "0s", "--yes")).toMatchObject({ code: 0 });
  const [after, counted, removed, taken] = await Promise.all([
    plane.cairn("retention", "list"),
    plane.json<{ types: object[] }>("retention", "preview"),
    plane.cairn("retention", "remove", "runs", "billing.*", "--yes"),
    plane.json("retention", "remove", "events", "chat.message.v1", "--yes"),
  ]);
  expect(after.stdout).toMatch(/\ndeleted +shop\.\* +0s +/);
  expect(counted.types).toEqual([{ type: "shop.approving.v1", runs: 1, events: 0 }]);
  expect(removed).toMatchObject({ code: 0, stdout: "runs of billing.*: as usual\n" });
  expect(taken).toEqual({ what: "events", type: "chat.message.v1" });
  const [table, gone, strange, malformed, away] = await Promise.all([
    plane.cairn("retention", "preview"),
    plane.cairn("retention", "remove", "runs", "billing.*", "--yes"),
    plane.cairn("retention", "set", "things", "*", "1d", "--yes"),
    plane.cairn("retention", "set", "runs", "*", "soon", "--yes"),
    plane.cairnWith({ CAIRN_API_URL: "http://127.0.0.1:9" }, "retention", "list"),
  ]);
  expect(table.stdout).toMatch(/^TYPE +RUNS +EVENTS\nshop\.approving\.v1 +1 +0\n$/);
  expect(gone).toMatchObject({ code: 1, stdout: "", text: expect.stringContaining("no rule for runs of billing.*") });
  expect(strange).toMatchObject({ code: 1, stdout: "" });
  expect(malformed).toMatchObject({ code: 1, text: expect.stringContaining("12h, 30d or 4w, or forever") });
  expect(away.code).not.toBe(0);
});
