import { describe, expect, it } from "vitest";
import { readLogSettings } from "../src/index.ts";
import { dispatchOf } from "./support/fake-control-plane.ts";
import { fakeControlPlane } from "./support/test-worker.ts";
import { workerProcess } from "./support/worker-process.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const CALLED = { attempt: 2, traceparent: TRACEPARENT };

/** What a worker writes of one call of an action. */
async function written(
  action: string,
  env: Readonly<Record<string, string>>,
): Promise<{ lines: string[]; runId: string }> {
  const fake = await fakeControlPlane();
  const worker = workerProcess({ CAIRN_MODULES: "logging.ts", CONTROL_PLANE_GRPC_URL: fake.url, ...env });
  const stream = await fake.stream();
  const call = dispatchOf(action, ["Ada"], CALLED);
  stream.send({ dispatches: [call] });
  await worker.says("strange");
  return { lines: worker.output().trim().split("\n"), runId: call.runId };
}

describe("what handlers log", () => {
  it.each(["default.logs", "default.logs-in-thread"])(
    "is JSON elsewhere than on a terminal, with the ids of %s",
    async (action) => {
      const { lines, runId } = await written(action, { CAIRN_LOG_FORMAT: "" });
      const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const about = { namespace: "default", runId, type: "test.v1", call: "1.0", attempt: 2, action };
      const traced = { ...about, traceId: TRACEPARENT.slice(3, 35) };
      const own = logged.filter((each) => each["runId"] === runId);
      expect(own).toHaveLength(5);
      expect(own[0]).toMatchObject({ ...traced, level: 30, msg: "hello Ada", details: { name: "Ada" } });
      expect(own[1]).toMatchObject({
        ...traced,
        level: 40,
        msg: "careful",
        err: { type: "RangeError", message: "nearly" },
      });
      expect(own[2]).toMatchObject({ ...traced, level: 50, msg: "odd cause", err: { type: "Error", message: "x" } });
      expect(own[3]).toMatchObject({
        ...traced,
        msg: "declined",
        err: {
          type: "Declined",
          message: "no money: empty",
          stack: expect.stringMatching(/no money\n[^]+caused by: TypeError: empty\n/),
          code: "E_DECLINED",
        },
      });
      expect(own[4]).toMatchObject({ ...traced, level: 50, msg: "strange" });
      // What the worker itself says is JSON too.
      expect(logged.some(({ msg }) => String(msg).includes("has loaded 1 module"))).toBe(true);
    },
  );

  it("is lines for people where that is wanted, and as much as that", async () => {
    const { lines } = await written("default.logs", { CAIRN_LOG_FORMAT: "text", CAIRN_LOG_LEVEL: "warn" });
    expect(lines.filter((line) => line.startsWith("[default.logs]"))).toEqual([
      "[default.logs] careful RangeError: nearly",
      "[default.logs] odd cause Error: x",
      expect.stringMatching(/^\[default.logs\] declined .*no money/),
      expect.stringMatching(/^\[default.logs\] strange/),
    ]);
  });
});

it("settings of logs that are none are refused by name", async () => {
  expect(() => readLogSettings({ CAIRN_LOG_LEVEL: "loud" })).toThrow(
    'CAIRN_LOG_LEVEL is one of debug, info, warn, error, silent, not "loud"',
  );
  expect(() => readLogSettings({ CAIRN_LOG_FORMAT: "xml" })).toThrow('CAIRN_LOG_FORMAT is text or json, not "xml"');
  const worker = workerProcess({ CAIRN_LOG_LEVEL: "loud" });
  expect(await worker.exit).toBe(1);
  expect(worker.output()).toMatch(/^cairn-worker: CAIRN_LOG_LEVEL is one of/);
});
