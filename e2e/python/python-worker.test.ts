import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { registerRequestToProto } from "@cairnjs/protocol";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startPlane } from "../../apps/control-plane/test/support/plane-process.ts";
import { untilRun } from "../../apps/control-plane/test/support/test-control-plane.ts";
import { type TestBed, testBed, until } from "../../apps/control-plane/test/support/test-engine.ts";
import {
  ask,
  clientMethods,
  connectTo,
  registrations,
  startRun,
} from "../../apps/control-plane/test/support/test-worker.ts";
import { publish } from "../../examples/python-worker/publish.ts";

/** Debian's, which has Debian's packages; another one may come first in the path. */
const PYTHON = "/usr/bin/python3";
const example = fileURLToPath(new URL("../../examples/python-worker/", import.meta.url));
const stubs = mkdtempSync(join(tmpdir(), "cairn-stubs-"));
const envOf = (port: number): Record<string, string> => ({
  PATH: process.env["PATH"]!,
  PYTHONPATH: stubs,
  PYTHONDONTWRITEBYTECODE: "1",
  CONTROL_PLANE_GRPC_URL: `127.0.0.1:${port}`,
  CAIRN_TYPE_PREFIXES: "media.",
});

beforeAll(() => void execFileSync(join(example, "generate.sh"), [stubs], { stdio: "inherit" }));
afterAll(() => rmSync(stubs, { recursive: true, force: true }));

/** The example, as its page says to start it. */
function pythonWorker(port: number, more: Readonly<Record<string, string>> = {}) {
  const env = { ...envOf(port), ...more };
  const child = spawn(PYTHON, [join(example, "worker.py")], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const exit = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
  onTestFinished(() => void child.kill("SIGKILL"));
  const says = (text: string) =>
    until(async () => {
      if (child.exitCode !== null && !output.includes(text)) throw new Error(`the worker has ended: ${output}`);
      return output.includes(text);
    });
  return { child, exit, output: () => output, says };
}

async function planeAndWorker() {
  const bed = await testBed();
  const plane = await startPlane(bed.url);
  const worker = pythonWorker(plane.port);
  await worker.says("connected to");
  return { bed, plane, worker, client: connectTo(plane.port) };
}

const ended = (bed: TestBed, id: string) =>
  untilRun(bed, id, ({ status }) => status !== "pending" && status !== "leased");

async function attempts(bed: TestBed, id: string): Promise<string[]> {
  const rows = await bed.query<{ outcome: string }>(
    "SELECT outcome FROM cairn.step_attempts WHERE run_id = $1 ORDER BY attempt",
    id,
  );
  return rows.map(({ outcome }) => outcome);
}

describe("a worker in Python", () => {
  it("does a job, and a step of a workflow in TypeScript", async () => {
    const { bed, client } = await planeAndWorker();
    const job = await startRun(client, "media.measure", "äöü und ß");
    expect((await ended(bed, job)).result).toEqual({ letters: 9, words: 3 });
    const workflows = registrations([publish]);
    await ask(client, clientMethods.register, registerRequestToProto({ namespace: "default", workflows, actions: [] }));
    const run = await startRun(client, publish.name, "one two three four");
    expect((await ended(bed, run)).result).toBe("an article");
  });

  it("has failures tried again after a wait, but not those that say that it would not help", async () => {
    const { bed, client } = await planeAndWorker();
    const busy = await startRun(client, "media.fetch", "a.png");
    expect((await ended(bed, busy)).result).toBe("a.png, at attempt 3");
    expect(await attempts(bed, busy)).toEqual(["failed", "failed", "succeeded"]);
    const hopeless = await startRun(client, "media.measure", 12);
    expect(await ended(bed, hopeless)).toMatchObject({
      status: "failed",
      last_error: expect.stringContaining("texts"),
    });
    expect(await attempts(bed, hopeless)).toEqual(["failed"]);
  });

  it("hears that a run was cancelled, and stops", async () => {
    const { bed, client, worker } = await planeAndWorker();
    const id = await startRun(client, "media.encode", { name: "long", seconds: 600 });
    await worker.says("encoding long");
    await bed.query("SELECT cairn.cancel_run($1, 'enough')", id);
    await worker.says("encoding long was cancelled");
    expect((await ended(bed, id)).status).toBe("cancelled");
  });

  it("I8: goes on while the control plane is killed and started again; each result arrives, once", async () => {
    const { bed, client, plane, worker } = await planeAndWorker();
    const short = await startRun(client, "media.encode", { name: "short", seconds: 0.5 });
    const long = await startRun(client, "media.encode", { name: "long", seconds: 5 });
    await worker.says("encoding short");
    await worker.says("encoding long");
    await plane.kill("SIGKILL");
    // This one is held, since there is nobody to tell.
    await worker.says("encoded short");
    expect(worker.output()).not.toContain("encoded long");
    await startPlane(bed.url, { port: plane.port });
    for (const id of [short, long]) {
      expect((await ended(bed, id)).status).toBe("succeeded");
      expect(await attempts(bed, id)).toEqual(["succeeded"]);
    }
    expect(worker.output().match(/encoding/g)).toHaveLength(2);
  });

  it("I8: that is killed loses its call to another one, at once, which goes on from what was told last", async () => {
    const { bed, client, plane, worker } = await planeAndWorker();
    const id = await startRun(client, "media.encode", { name: "film", seconds: 2 });
    await worker.says("encoding film from 0, attempt 1");
    await until(async () => (await bed.query("SELECT FROM cairn.heartbeat_details")).length === 1);
    const other = pythonWorker(plane.port);
    await other.says("connected to");
    const before = performance.now();
    worker.child.kill("SIGKILL");
    await other.says("encoding film from ");
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(other.output()).toMatch(/encoding film from [1-9]\d*, attempt 2/);
    expect((await ended(bed, id)).status).toBe("succeeded");
    expect(await attempts(bed, id)).toEqual(["lost", "succeeded"]);
  });

  it("that is told to end takes no more calls, ends those it has, and ends", async () => {
    const { bed, client, plane, worker } = await planeAndWorker();
    const id = await startRun(client, "media.encode", { name: "last", seconds: 1 });
    await worker.says("encoding last");
    worker.child.kill("SIGTERM");
    const next = pythonWorker(plane.port);
    await next.says("connected to");
    expect((await ended(bed, await startRun(client, "media.measure", "x"))).status).toBe("succeeded");
    expect(await worker.exit).toBe(0);
    expect((await ended(bed, id)).status).toBe("succeeded");
    expect(await attempts(bed, id)).toEqual(["succeeded"]);
  });

  it("that is told to end twice ends at once", async () => {
    const { client, worker } = await planeAndWorker();
    await startRun(client, "media.encode", { name: "long", seconds: 60 });
    await worker.says("encoding long");
    worker.child.kill("SIGTERM");
    worker.child.kill("SIGTERM");
    // Two signals that come together are one.
    const again = setInterval(() => worker.child.kill("SIGTERM"), 100);
    expect(await worker.exit).toBe(143);
    clearInterval(again);
  });

  it("serves what its prefixes name and nothing else; * is everything", async () => {
    const bed = await testBed();
    const plane = await startPlane(bed.url);
    const names = async (prefixes: string): Promise<readonly string[] | undefined> => {
      const worker = pythonWorker(plane.port, { CAIRN_TYPE_PREFIXES: prefixes });
      await worker.says("connected to");
      const [row] = await until(async () => {
        const rows = await bed.query<{ names: string[] }>("SELECT actions AS names FROM cairn.worker_status");
        return rows.length === 1 && rows;
      });
      worker.child.kill("SIGTERM");
      await worker.exit;
      await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length === 0);
      return row?.names.toSorted();
    };
    expect(await names("media.measure")).toEqual(["media.measure"]);
    expect(await names("*")).toEqual(["media.encode", "media.fetch", "media.measure"]);
    expect(await names("media")).toEqual(["media.encode", "media.fetch", "media.measure"]);
  });

  it("that knows of one control plane serves all of them, with more jobs than it has places", async () => {
    const { bed, client, worker } = await planeAndWorker();
    const other = await startPlane(bed.url);
    await until(async () => worker.output().match(/connected to/g)!.length === 2);
    const clients = [client, connectTo(other.port)];
    const ids = await Promise.all(
      Array.from({ length: 60 }, (_, n) => startRun(clients[n % 2]!, "media.measure", "x".repeat(n))),
    );
    for (const [letters, id] of ids.entries()) expect((await ended(bed, id)).result).toMatchObject({ letters });
  });

  it("can be given jobs by start.py", async () => {
    const { plane } = await planeAndWorker();
    const start = (...args: string[]): string =>
      execFileSync(PYTHON, [join(example, "start.py"), ...args], { env: envOf(plane.port), encoding: "utf8" });
    expect(start("media.measure", '"two words"')).toBe('RUN_STATUS_SUCCEEDED {"letters":9,"words":2}\n');
  });
});
