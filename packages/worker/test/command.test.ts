import { fileURLToPath } from "node:url";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { dispatchOf } from "./support/fake-control-plane.ts";
import { fakeControlPlane } from "./support/test-worker.ts";
import { until } from "./support/until.ts";
import { workerProcess } from "./support/worker-process.ts";

describe("cairn-worker", () => {
  it("loads TypeScript, registers its programs, runs actions and steps, and ends on SIGTERM with 0", async () => {
    const fake = await fakeControlPlane();
    const worker = workerProcess({ CAIRN_MODULES: "greet*.ts", CONTROL_PLANE_GRPC_URL: fake.url, CAIRN_TOKEN: "t-1" });
    const stream = await fake.stream();
    const [registered] = fake.registered.flatMap(({ workflows }) => workflows);
    expect(registered).toMatchObject({ name: "default.welcome.v1", maxAttempts: 1 });
    expect(registered!.sources[0]!.content).toMatchObject({ text: expect.stringContaining("Ends when it is aborted") });
    const { actions } = stream.frames[0]!.hello!;
    const step = actions.find(({ name }) => name.startsWith("default.welcome.v1/"));
    expect(actions.map(({ name }) => name)).toEqual(["default.greet", "default.patient", "default.slow", step!.name]);
    expect(fake.tokens).toEqual(["Bearer t-1"]);
    const { name: type, version } = registered!;
    expect(stream.frames[0]!.hello!.workflows).toEqual([{ name: type, version }]);
    stream.send({
      dispatches: [
        dispatchOf("default.greet", ["Ada"], { call: "1.0" }),
        dispatchOf(step!.name, [{ greeting: "Hi" }], { call: "2.0", type, version }),
      ],
    });
    await until(() => stream.outcomes.length === 2);
    expect(stream.outcomes.map(({ value }) => value)).toEqual([{ json: '"Hello Ada"' }, { json: '"Hi!"' }]);
    worker.child.kill("SIGTERM");
    expect(await worker.exit).toBe(0);
    expect(stream.frames.some(({ draining }) => draining)).toBe(true);
  });

  it("SIGTERM: aborts what takes longer than the limit, delivers the rest, and ends with 0", async () => {
    const fake = await fakeControlPlane();
    const worker = workerProcess({
      CAIRN_MODULES: "greetings.ts",
      CONTROL_PLANE_GRPC_URL: fake.url,
      CAIRN_WORKER_DRAIN_MS: "300",
    });
    const stream = await fake.stream();
    stream.send({
      dispatches: [
        dispatchOf("default.patient", [], { call: "1.0" }),
        dispatchOf("default.slow", [100], { call: "2.0" }),
      ],
    });
    await worker.says("slow begins");
    worker.child.kill("SIGTERM");
    expect(await worker.exit).toBe(0);
    expect(fake.outcomes.map(({ call }) => call)).toEqual(["2.0"]);
    expect(worker.output()).toContain("patient was aborted");
  });

  it("a second signal ends it at once", async () => {
    const fake = await fakeControlPlane();
    const worker = workerProcess({ CAIRN_MODULES: "greetings.ts", CONTROL_PLANE_GRPC_URL: fake.url });
    const stream = await fake.stream();
    stream.send({ dispatches: [dispatchOf("default.patient", [])] });
    await worker.says("patient begins");
    worker.child.kill("SIGTERM");
    await worker.says("a second signal ends at once");
    worker.child.kill("SIGINT");
    expect(await worker.exit).toBe(130);
  });

  it("SIGKILL: its stream breaks, and nothing else is heard", async () => {
    const fake = await fakeControlPlane();
    const worker = workerProcess({ CAIRN_MODULES: "greetings.ts", CONTROL_PLANE_GRPC_URL: fake.url });
    const stream = await fake.stream();
    stream.send({ dispatches: [dispatchOf("default.patient", [])] });
    await worker.says("patient begins");
    worker.child.kill("SIGKILL");
    await until(() => stream.hasEnded);
    expect(await worker.exit).toBe("SIGKILL");
    expect(stream.outcomes).toEqual([]);
  });

  it("a control plane that is killed and comes back: the call goes on, and its result arrives", async () => {
    const fake = await fakeControlPlane();
    const worker = workerProcess({ CAIRN_MODULES: "greetings.ts", CONTROL_PLANE_GRPC_URL: fake.url });
    const before = await fake.stream();
    before.send({ dispatches: [dispatchOf("default.slow", [300])] });
    await worker.says("slow begins");
    fake.kill();
    await worker.says("No stream to");
    await fake.restart();
    const after = await fake.stream();
    await until(() => after.outcomes.length === 1);
    expect(after.outcomes[0]).toMatchObject({ attempt: 1, value: { json: '"slow and done"' } });
    expect(worker.output().split("slow begins")).toHaveLength(2);
  });

  it("recycles itself after so many actions with the exit code 75", async () => {
    const fake = await fakeControlPlane();
    const worker = workerProcess({
      CAIRN_MODULES: "greetings.ts",
      CONTROL_PLANE_GRPC_URL: fake.url,
      CAIRN_WORKER_RECYCLE_ACTIONS: "2",
    });
    (await fake.stream()).send({
      dispatches: ["1.0", "2.0"].map((call) => dispatchOf("default.greet", ["Ada"], { call })),
    });
    expect(await worker.exit).toBe(75);
    expect(fake.outcomes).toHaveLength(2);
  });

  it("finds modules by itself, and leaves tests alone", async () => {
    const fake = await fakeControlPlane();
    workerProcess({ CONTROL_PLANE_GRPC_URL: fake.url }, { folder: "default" });
    const stream = await fake.stream();
    expect(stream.frames[0]!.hello!.actions.map(({ name }) => name)).toEqual(["default.two"]);
    expect(fake.registered.flatMap(({ workflows }) => workflows).map(({ name }) => name)).toEqual(["default.one.v1"]);
  });

  const mistakes: [what: string, env: Record<string, string>, reason: string][] = [
    [
      "a module that throws",
      { CAIRN_MODULES: "fails.ts" },
      "fails.ts cannot be loaded: Error: no settings for the mail server",
    ],
    ["a workflow that cannot be compiled", { CAIRN_MODULES: "rejected.ts" }, "rejected.ts:4"],
    ["a module that never loads", { CAIRN_MODULES: "never.ts" }, "never.ts never finishes loading"],
    ["modules without any action", { CAIRN_MODULES: "nothing.ts" }, "declare no action and no workflow"],
    ["a module that is not there", { CAIRN_MODULES: "greetings.ts,missing/*.ts" }, "There is no module missing/*.ts"],
    ["no module anywhere", {}, "give them in CAIRN_MODULES"],
    ["a setting that there is not", { CAIRN_WORKER_CAPACITIES: "5" }, "There is no setting CAIRN_WORKER_CAPACITIES"],
  ];
  it.each(mistakes)("ends with 1 and the reason for %s", async (_, env, reason) => {
    const worker = workerProcess(env);
    expect(await worker.exit).toBe(1);
    expect(worker.output()).toContain(reason);
  });

  it("says once, and in its own words, why it cannot reach anybody", async () => {
    let tries = 0;
    const http = createServer().on("connection", () => (tries += 1));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void http.close());
    const fake = await fakeControlPlane();
    const { port } = http.address() as AddressInfo;
    const cases = [
      [`127.0.0.1:${port}`, "It looks like the HTTP port of a control plane"],
      [`https://127.0.0.1:${fake.port}`, "does not speak TLS: write http:// instead of https://"],
      ["127.0.0.1:1", "nothing listens on 127.0.0.1:1 (ECONNREFUSED)"],
    ] as const;
    await Promise.all(
      cases.map(async ([url, why]) => {
        const worker = workerProcess({ CAIRN_MODULES: "greetings.ts", CONTROL_PLANE_GRPC_URL: url });
        await worker.says(why);
        await until(() => tries >= 3);
        worker.child.kill("SIGTERM");
        expect(await worker.exit).toBe(0);
        const lines = worker.output().trimEnd().split("\n");
        expect(lines).toEqual([
          expect.stringMatching(/has loaded 1 module for the namespace default$/),
          expect.stringContaining(`No stream to ${url}: `),
          expect.stringContaining("SIGTERM"),
        ]);
      }),
    );
  });

  it("never reads DATABASE_URL or the master key, and works beside them", async () => {
    const fake = await fakeControlPlane();
    const trap = fileURLToPath(new URL("./support/forbid-secrets.mjs", import.meta.url));
    const worker = workerProcess(
      {
        CAIRN_MODULES: "greetings.ts",
        CONTROL_PLANE_GRPC_URL: fake.url,
        DATABASE_URL: "postgres://nobody",
        CAIRN_MASTER_KEY: "secret",
      },
      { nodeArgs: ["--import", trap] },
    );
    const stream = await fake.stream();
    stream.send({ dispatches: [dispatchOf("default.greet", ["Ada"])] });
    await until(() => stream.outcomes.length === 1);
    worker.child.kill("SIGTERM");
    expect(await worker.exit).toBe(0);
    expect(worker.output()).toContain("the trap is set");
  });
});
