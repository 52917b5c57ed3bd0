import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { freePorts } from "../processes/processes.ts";
import { temporaryProject } from "../temporary-project.ts";
import { operated } from "./plane.ts";

const plane = operated();

const UNKNOWN = "01a1e117-9295-798b-8091-0c70e9ba8d64";

async function finished(): Promise<{ good: string; bad: string }> {
  const [good, bad] = await Promise.all([
    plane.start("shop.checkout.v1", { order: "A-17", cents: 4200 }, { tags: ["blue"] }),
    plane.start("shop.broken.v1", "B-2"),
  ]);
  await Promise.all([plane.untilStatus(good, "succeeded"), plane.untilStatus(bad, "failed")]);
  return { good, bad };
}

describe("cairn runs", () => {
  it("list and show: tables for people, one line of JSON for programs", async () => {
    const { good, bad } = await finished();
    const [list, json, filtered, none, show, shown, failed] = await Promise.all([
      plane.cairn("runs", "list"),
      plane.json<{ runs: Record<string, unknown>[] }>("runs", "list", "--limit", "1", "--status", "failed"),
      plane.cairn("runs", "list", "--type", "shop.checkout.v1", "--tag", "blue", "--since", "1h"),
      plane.cairn("runs", "list", "--until", "2020-01-01"),
      plane.cairn("runs", "show", good),
      plane.json<Record<string, unknown>>("runs", "show", good),
      plane.cairn("runs", "show", bad, "--no-steps"),
    ]);
    const lines = list.stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID {36}TYPE +STATUS +STARTED +TOOK/);
    const line = lines.find((each) => each.startsWith(bad))!;
    expect(line).toMatch(/ {2}shop\.broken\.v1 +failed +\d+ \w+ ago +\d+ m?s +RangeError: no money for B-2$/);
    expect(list.stdout).not.toContain("\u001B");
    expect(json.runs).toMatchObject([{ id: bad, status: "failed", createdAt: expect.stringMatching(/Z$/) }]);
    expect(filtered.stdout).toContain(good);
    expect(filtered.stdout).not.toContain(bad);
    expect(none).toMatchObject({ code: 0, stdout: "", text: expect.stringContaining("there are no such runs") });
    expect(show.stdout).toContain(`run       ${good}  shop.checkout.v1  version `);
    expect(show.stdout).toContain('input     {"order":"A-17","cents":4200}');
    expect(show.stdout).toMatch(/1 +checkout\/charge +shop\.charge\.v1 +succeeded +1 +\d+ m?s +{"receipt":"R-4200"}/);
    expect(shown).toMatchObject({ id: good, payload: { cents: 4200 }, steps: [{ args: [4200] }, { number: 2 }] });
    expect(failed.stdout).toContain("error     RangeError: no money for B-2");
  });

  it("watch follows one to its end, whatever that is", async () => {
    const id = await plane.start("shop.approving.v1");
    await plane.untilStatus(id, "waiting");
    const { bad } = await finished();
    const watching = plane.process("runs", "watch", id);
    const [json] = await Promise.all([
      plane.cairn("runs", "watch", bad, "--json"),
      watching.says("waiting for the signal approval"),
    ]);
    const lines = json.stdout.trimEnd().split("\n");
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(json.code).toBe(1);
    expect(told.at(-1)).toMatchObject({ is: "ended", status: "failed", id: bad });
    expect(told).toContainEqual(expect.objectContaining({ is: "step", name: "shop.decline.v1", status: "failed" }));
    const signalled = await plane.cairn("runs", "signal", id, "approval", "--value", '{"by":"ada"}');
    expect(signalled).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
    expect(await watching.ended).toBe(0);
    expect(watching.stdout()).toContain('✓ succeeded "approved by ada"');
    // Each thing once.
    expect(watching.stdout().match(/^· created \{"leasedBy":/gm)).toHaveLength(1);
  });

  it("export writes runs, one a line, which replay runs again; it says where one does otherwise", async () => {
    const { good, bad } = await finished();
    const folder = temporaryProject({});
    const file = join(folder, "runs.jsonl.gz");
    const [exported, one] = await Promise.all([
      plane.json("runs", "export", "--status", "succeeded,failed", "--out", file),
      plane.cairn("runs", "export", good, bad),
    ]);
    const runs = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n").length;
    expect(exported).toMatchObject({ file, runs });
    expect(runs).toBeGreaterThan(1);
    const [first = "", second = ""] = one.stdout.trimEnd().split("\n");
    expect(JSON.parse(second)).toMatchObject({ format: "cairn.run.v1", run: { id: bad } });
    const run = JSON.parse(first) as { history: { value: string }[] };
    run.history[1]!.value = '{"receipt":"R-1"}';
    const other = join(folder, "other.json");
    const strange = join(folder, "strange.json");
    writeFileSync(other, `${second}\n${JSON.stringify(run)}`);
    writeFileSync(strange, '{"format":"x"}');
    const [replayed, json, diverged, wrong, missing] = await Promise.all([
      plane.cairn("replay", file),
      plane.json("replay", file),
      plane.cairn("replay", other),
      plane.cairn("replay", strange),
      plane.cairn("replay", "none.jsonl"),
    ]);
    expect(replayed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`✓ ${good}  shop.checkout.v1  3 inputs`),
    });
    expect(json).toMatchObject({ diverged: 0, runs: expect.arrayContaining([expect.objectContaining({ id: bad })]) });
    expect(diverged.code).toBe(1);
    expect(diverged.stdout).toContain(`✗ ${good}  shop.checkout.v1  diverges at input 3 (result 2.`);
    expect(wrong).toMatchObject({
      code: 1,
      text: expect.stringContaining("line 1: This is no exported run: format is not"),
    });
    expect(missing).toMatchObject({ code: 1, text: expect.stringContaining("none.jsonl cannot be read: ENOENT") });
  });
});

describe("what is wrong is one line", () => {
  it("of runs, flags, addresses and tokens", async () => {
    const [port = ""] = await freePorts(1);
    const cases: [string[], number, string][] = [
      [["runs", "show", UNKNOWN], 1, `NotFound: There is no run ${UNKNOWN}`],
      [["runs", "watch", "x"], 1, "NotFound: There is no run x"],
      [["runs", "cancel", UNKNOWN], 1, `NotFound: There is no run ${UNKNOWN}`],
      [["runs", "export", UNKNOWN], 1, "NotFound"],
      [["runs", "export"], 2, "give ids of runs, or choose them"],
      [["runs", "export", UNKNOWN, "--all"], 2, "but not both"],
      [["runs", "list", "--since", "tomorow"], 2, "--since is a time such as 2h"],
      [["runs", "list", "--status", "gone"], 1, "InvalidMessage: status.0: must be one of pending"],
      [["runs", "list", "--limt", "1"], 2, "Did you mean --limit?"],
      [["runs", "list", "--limit", "0"], 2, "It must be a whole number from 1"],
      [["runs", "lst"], 2, "Did you mean list?"],
      [["runs", "signal", UNKNOWN, "go", "--value", "{"], 2, "--value is not JSON"],
      [["runs", "rollback", UNKNOWN], 2, "--to <number>"],
      [
        ["runs", "list", "--api-url", `http://127.0.0.1:${port}`],
        1,
        `No control plane answers at http://127.0.0.1:${port}`,
      ],
      [["runs", "list", "--api-url", "ftp://x"], 1, "CAIRN_API_URL is an address such as"],
      [["runs", "list", "--namespace", "a b"], 1, "CAIRN_NAMESPACE has a character"],
      [
        ["promote", "shop.checkout.v1", "none"],
        1,
        "UnknownType: Nothing is registered as shop.checkout.v1 in the version none",
      ],
      [["workflows", "none"], 1, "UnknownType: Nothing is registered as none"],
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
});
