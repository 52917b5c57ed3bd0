import { describe, expect, it } from "vitest";
import { operated } from "./plane.ts";

const plane = operated();

describe("cairn runs, for many", () => {
  it("shows how many there are, does it for all of them, and says why some refuse", async () => {
    const later = { tags: ["many", "blue"], runAt: "2126-01-01T00:00:00Z" };
    const ids = await Promise.all([1, 2, 3].map(() => plane.start("shop.approving.v1", undefined, later)));
    const over = await plane.start("shop.checkout.v1", { order: "A-17", cents: 1 }, { tags: ["many"] });
    await plane.untilStatus(over, "succeeded");
    const dry = await plane.cairn("runs", "cancel", "--tag", "many", "--dry-run");
    expect(dry, dry.text).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        "cancel would be asked for: 3 runs of 4\n1 run would refuse it: RunEnded: The run",
      ),
    });
    expect(dry.stdout).toContain(ids[0]!);
    const counted = await plane.json("runs", "cancel", "--tag", "many", "--tag", "blue", "--dry-run");
    expect(counted).toMatchObject({ matched: 3, done: 3, refused: [], isAll: true });
    const signalled = await plane.cairn(
      "runs",
      "signal-all",
      "approval",
      "--value",
      "1",
      "--type",
      "shop.appr*",
      "--tag",
      "many",
    );
    expect(signalled, signalled.text).toMatchObject({ code: 0, stdout: "signal asked for: 3 runs of 3\n" });
    const cancelled = await plane.cairn("runs", "cancel", "--tag", "many", "--yes", "--reason", "enough");
    expect(cancelled).toMatchObject({ code: 1, stdout: "cancel asked for: 3 runs of 4\n" });
    expect(cancelled.text).toContain("1 run refused: RunEnded: The run");
    // Those who say yes beforehand wait for no count.
    const asked = await plane.json<{ entries: { action: string; detail: { dryRun?: boolean; action?: string } }[] }>(
      "audit",
      "list",
      "--action",
      "run.bulk",
    );
    expect(asked.entries.filter(({ detail }) => detail.action === "cancel").map(({ detail }) => detail.dryRun)).toEqual(
      [undefined, true, true],
    );
    expect(await plane.json("runs", "delete", "--tag", "blue", "--status", "cancelled")).toEqual({
      matched: 3,
      done: 3,
      refused: [],
    });
    expect(await plane.json("runs", "list", "--tag", "blue", "--deleted")).toMatchObject({ runs: [{}, {}, {}] });
    const restored = await plane.cairn("runs", "restore", ids[0]!);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining("restore asked for; now cancelled") });
    expect(await plane.json("runs", "restore", "--tag", "blue")).toMatchObject({ done: 2 });
    const found = await plane.json<{ runs: { id: string }[] }>(
      "runs",
      "list",
      "--contains",
      '{"order":"A-17"}',
      "--oldest",
    );
    expect(found.runs.map(({ id }) => id)).toContain(over);
    const wrong: [string[], string][] = [
      [["runs", "cancel"], "give ids of runs, or choose them by --type and others"],
      [["runs", "cancel", over, "--tag", "x"], "but not both"],
      [["runs", "retry", "--contains", "{"], "--contains is not JSON"],
    ];
    for (const [args, says] of wrong)
      expect(await plane.cairn(...args)).toMatchObject({ code: 2, text: expect.stringContaining(says) });
    const refused = await plane.cairn("runs", "pause", "--status", "gone");
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining("InvalidMessage") });
  });
});

describe("cairn runs state, workflows and limits", () => {
  it("show what a run knew, what a version is made of, and what is limited", async () => {
    const id = await plane.start("shop.checkout.v1", { order: "A-17", cents: 1 });
    await plane.untilStatus(id, "succeeded");
    const [state, json, shown, source, listing, graph, limits] = await Promise.all([
      plane.cairn("runs", "state", id, "--at", "1"),
      plane.json("runs", "state", id),
      plane.cairn("workflows", "show", "shop.checkout.v1"),
      plane.cairn("workflows", "source", "shop.checkout.v1"),
      plane.cairn("workflows", "listing", "shop.checkout.v1"),
      plane.json<{ nodes: object[] }>("workflows", "graph", "shop.checkout.v1"),
      plane.cairn("limits"),
    ]);
    expect(state.stdout, state.text).toMatch(/^input +1\n/);
    expect(state.stdout).toContain("A-17");
    expect(json).toMatchObject({ phase: "ended" });
    expect(shown.stdout, shown.text).toMatch(/^workflow +shop\.checkout\.v1 {2}version \w+ {2}current\n/);
    expect(source.stdout, source.text).toContain("shop.checkout.v1");
    expect(listing.stdout).toMatch(/^program shop\.checkout\.v1/);
    expect(graph.nodes.length).toBeGreaterThan(2);
    expect(limits.code, limits.text).toBe(0);
    const text = await plane.cairn("workflows", "graph", "shop.checkout.v1");
    expect(text.stdout).toMatch(/^flowchart TD\n/);
    expect(await plane.cairn("workflows", "show", "none")).toMatchObject({
      code: 1,
      text: expect.stringContaining("UnknownType"),
    });
  });
});
