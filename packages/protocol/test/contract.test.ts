import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = new URL("..", import.meta.url).pathname;
const bin = new URL("../../../node_modules/.bin", import.meta.url).pathname;
let temporary: string;

beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), "cairn-contract-"));
});
afterAll(() => rmSync(temporary, { recursive: true }));

function buf(args: readonly string[], cwd = root): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync("buf", args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"]}` },
  });
  return { status, output: stdout + stderr };
}

/** The `.proto` files with a change, compared with what was promised. */
function afterChange(file: string, from: string, to: string): { status: number | null; output: string } {
  const copy = mkdtempSync(join(temporary, "changed-"));
  cpSync(join(root, "proto"), join(copy, "proto"), { recursive: true });
  cpSync(join(root, "buf.yaml"), join(copy, "buf.yaml"));
  const path = join(copy, "proto/cairn/v1", file);
  const text = readFileSync(path, "utf8");
  expect(text.split(from).length, `${from} stands once in ${file}`).toBe(2);
  writeFileSync(path, text.replace(from, to));
  return buf(["breaking", "--against", join(root, "contract.json")], copy);
}

describe("the .proto files", () => {
  it("have nothing that buf's lint complains of, and a comment everywhere", () => {
    expect(buf(["lint"])).toEqual({ status: 0, output: "" });
  });

  it("are what was generated from: `npm run generate -w @cairnjs/protocol` changes nothing", () => {
    expect(buf(["generate", "--output", temporary])).toEqual({ status: 0, output: "" });
    expect(filesIn(join(temporary, "src/gen"))).toEqual(filesIn(join(root, "src/gen")));
  });

  it("are what the contract says: `npm run accept-contract -w @cairnjs/protocol` changes nothing", () => {
    const built = join(temporary, "built.json");
    expect(buf(["build", "--exclude-source-info", "-o", built])).toEqual({ status: 0, output: "" });
    const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
    expect(read(join(root, "contract.json"))).toEqual(read(built));
    expect(buf(["breaking", "--against", "contract.json"])).toEqual({ status: 0, output: "" });
  });
});

describe("a change that breaks the contract is noticed", () => {
  it.each([
    ["a field removed", "calls.proto", "  string idempotency_key = 22;\n", "", "idempotency_key"],
    [
      "a field with another number",
      "calls.proto",
      "uint64 duration_ms = 10;",
      "uint64 duration_ms = 11;",
      "duration_ms",
    ],
    ["a field of another type", "worker.proto", "uint32 capacity = 12;", "string capacity = 12;", "capacity"],
    ["a field renamed", "worker.proto", "string worker_id = 2;", "string worker = 2;", "worker_id"],
    ["a method that streams no longer", "client.proto", "Wait(stream WaitRequest)", "Wait(WaitRequest)", "Wait"],
    ["a number of an enum removed", "calls.proto", "  ISOLATION_THREAD = 2;\n", "", "Isolation"],
  ])("%s", (_, file, from, to, named) => {
    const { status, output } = afterChange(file, from, to);
    expect(status).toBe(100);
    expect(output).toContain(named);
  });

  it("and one that breaks nothing is not", () => {
    const added = "string idempotency_key = 22;\n  // New.\n  string more = 24;";
    expect(afterChange("calls.proto", "string idempotency_key = 22;", added)).toEqual({ status: 0, output: "" });
  });
});

function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
