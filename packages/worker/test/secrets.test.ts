import { describe, expect, it } from "vitest";
import { dispatchOf } from "./support/fake-control-plane.ts";
import { fakeControlPlane } from "./support/test-worker.ts";
import { until } from "./support/until.ts";
import { workerProcess } from "./support/worker-process.ts";

const PASSWORD = "correct horse battery";
const secrets = [{ name: "smtp-password", value: PASSWORD }];
const SEALED = Buffer.from(JSON.stringify("ada"))
  .map((byte) => byte ^ 0x55)
  .toString("base64");

async function opened(env: Readonly<Record<string, string>> = {}) {
  const fake = await fakeControlPlane();
  const worker = workerProcess({ CAIRN_MODULES: "secretive.ts", CONTROL_PLANE_GRPC_URL: fake.url, ...env });
  return { stream: await fake.stream(), worker };
}

describe("secrets that come with a call", () => {
  it("are announced by the actions that need them, and given to their handlers, in threads too", async () => {
    const { stream } = await opened();
    const { actions } = stream.frames[0]!.hello!;
    expect(actions.find(({ name }) => name === "default.spills")?.secrets).toEqual(["smtp-password"]);
    expect(actions.find(({ name }) => name === "default.reseals")?.secrets).toBeUndefined();
    stream.send({ dispatches: [dispatchOf("default.measures", ["x"], { secrets })] });
    await until(() => stream.outcomes.length === 1);
    expect(stream.outcomes[0]!.value).toEqual({ json: String(PASSWORD.length) });
  });

  it.each(["default.spills", "default.spills-in-thread"])("are *** in what %s logs and throws", async (action) => {
    const { stream, worker } = await opened({ CAIRN_LOG_LEVEL: "debug" });
    stream.send({ dispatches: [dispatchOf(action, ["x"], { secrets })] });
    await until(() => stream.outcomes.length === 1);
    expect(stream.outcomes[0]!.value).toMatchObject({
      json: expect.stringContaining('"message":"535 *** is wrong","props":{"password":"***"}'),
    });
    await worker.says("signing in with ***");
    expect(worker.output()).not.toContain(PASSWORD);
  });

  it("that did not come fail the call, which is not tried again", async () => {
    const { stream } = await opened();
    stream.send({ dispatches: [dispatchOf("default.spills", ["x"])] });
    await until(() => stream.outcomes.length === 1);
    expect(stream.outcomes[0]).toMatchObject({ kind: "error", retry: null });
    expect(JSON.stringify(stream.outcomes[0]!.value)).toMatch(/SecretMissing.*smtp-password/);
  });
});

describe("sealed values", () => {
  it.each(["default.reseals", "default.reseals-in-thread"])(
    "are opened and sealed for %s by CAIRN_CODEC",
    async (action) => {
      const { stream } = await opened({ CAIRN_CODEC: "turning-codec.ts" });
      stream.send({
        dispatches: [dispatchOf(action, [], { args: { json: `[{"$codec":["cairn.sealed","${SEALED}"]}]` } })],
      });
      await until(() => stream.outcomes.length === 1);
      const { $codec } = JSON.parse((stream.outcomes[0]!.value as { json: string }).json) as {
        $codec: [string, string];
      };
      const plain = Buffer.from($codec[1], "base64").map((byte) => byte ^ 0x55);
      expect([$codec[0], plain.toString()]).toEqual(["cairn.sealed", '"ada, again"']);
    },
  );

  it("need a codec that is one: a worker does not start with another module", async () => {
    const worker = workerProcess({ CAIRN_MODULES: "secretive.ts", CAIRN_CODEC: "secretive.ts" });
    expect(await worker.exit).toBe(1);
    expect(worker.output()).toContain("exports no codec");
  });
});
