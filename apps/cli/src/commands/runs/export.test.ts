import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { CannotRun } from "../../cannot-run.ts";
import { Output } from "../../output/output.ts";
import { type Query, Refusal, type RestClient } from "../../rest/rest-client.ts";
import { exportRuns } from "./export.ts";

function opened(answer: (id: string) => object) {
  const folder = mkdtempSync(join(tmpdir(), "cairn-export-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const texts = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({ write: (text: string) => ((texts[name] += text), true) });
  const client = {
    get: async (path: string) => answer(path.split("/")[2]!),
    async *list(_path: string, _query: Query, most = 5) {
      for (let n = 0; n < Math.min(most, 5); n += 1) yield { id: `run-${n}` };
    },
  } as unknown as RestClient;
  return { folder, texts, client, output: new Output(stream("out"), stream("err")) };
}

it("writes the file when it has all: one that broke off leaves the former one, and nothing beside it", async () => {
  const { folder, texts, client, output } = opened((id) => {
    if (id === "run-3") throw new CannotRun("No control plane answers");
    return { id };
  });
  for (const name of ["runs.jsonl", "runs.jsonl.gz"]) {
    const out = join(folder, name);
    writeFileSync(out, "former");
    await expect(exportRuns(client, [], { all: true, out }, output)).rejects.toThrow("No control plane answers");
    expect(readFileSync(out, "utf8")).toBe("former");
    expect(await exportRuns(client, [], { all: true, limit: 1, out }, output)).toBe(0);
    const bytes = readFileSync(out);
    expect((name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString()).toBe('{"id":"run-0"}\n');
  }
  expect(readdirSync(folder).sort()).toEqual(["runs.jsonl", "runs.jsonl.gz"]);
  expect(texts.out).toBe(`${join(folder, "runs.jsonl")}: 1 run\n${join(folder, "runs.jsonl.gz")}: 1 run\n`);
});

it("leaves out runs that are gone meanwhile, unless they were asked for by id", async () => {
  const { folder, texts, client, output } = opened((id) => {
    if (id === "run-1") throw new Refusal({ code: "NotFound", detail: "There is no run run-1" });
    return { id };
  });
  const out = join(folder, "runs.jsonl");
  expect(await exportRuns(client, [], { all: true, out, json: true }, output)).toBe(0);
  expect(JSON.parse(texts.out)).toMatchObject({ file: out, runs: 4 });
  await expect(exportRuns(client, ["run-1"], {}, output)).rejects.toThrow("NotFound: There is no run run-1");
});

it("says in one line that the disk is full", async () => {
  const { client, output } = opened((id) => ({ id, text: "x".repeat(200_000) }));
  if (!existsSync("/dev/full")) return;
  await expect(exportRuns(client, [], { all: true, out: "/dev/full" }, output)).rejects.toThrow(
    /^\/dev\/full cannot be written: ENOSPC/,
  );
  expect(existsSync("/dev/full.part")).toBe(false);
});
