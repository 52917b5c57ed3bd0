import { registerRequestToProto } from "@cairnjs/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { testAccess } from "../support/test-access.ts";
import { HttpServer, type HttpServerOptions } from "../../src/http/http-server.ts";
import { Metrics } from "../../src/metrics/metrics.ts";
import { openPlane, untilRun } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { action } from "../support/test-hub.ts";
import { ask, clientMethods, connectTo, RawWorker, startRun } from "../support/test-worker.ts";

async function get(port: number | null, path: string, token?: string): Promise<{ status: number; text: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  return { status: response.status, text: await response.text() };
}

async function server(
  isReady: HttpServerOptions["isReady"],
  others: Partial<HttpServerOptions> = {},
): Promise<HttpServer> {
  const listen = { host: "127.0.0.1", port: 0 };
  const opened = await HttpServer.open({
    listen,
    metrics: new Metrics(false),
    isReady,
    access: testAccess({ security: false }),
    warn: () => {},
    ...others,
  });
  onTestFinished(() => opened.close());
  return opened;
}

const http = { listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" } };

describe("what machines ask of a control plane", () => {
  it("is whether it lives, and whether it is ready; of anything else it says what there is", async () => {
    const plane = await openPlane(await testBed(), http);
    expect(await get(plane.httpPort, "/health")).toEqual({ status: 200, text: '{"status":"alive"}' });
    expect(await get(plane.httpPort, "/ready")).toEqual({ status: 200, text: '{"status":"ready"}' });
    expect(await get(plane.httpPort, "/v2/runs")).toMatchObject({
      status: 404,
      text: expect.stringContaining("/ready"),
    });
  });

  it("is not ready without a database, without its leases, and when it ends, but lives", async () => {
    const away = await server(() => Promise.reject(new Error("ECONNREFUSED")));
    expect(await get(away.port, "/ready")).toMatchObject({ status: 503, text: expect.stringContaining("reached") });
    const lost = await server(async () => false);
    expect(await get(lost.port, "/ready")).toMatchObject({ status: 503, text: expect.stringContaining("leases") });
    const silent = await server(() => new Promise(() => {}));
    expect(await get(silent.port, "/ready")).toMatchObject({ status: 503, text: expect.stringContaining("answer") });
    const ending = await server(async () => true);
    ending.drain();
    expect(await get(ending.port, "/ready")).toMatchObject({ status: 503, text: expect.stringContaining("ends") });
    expect(await get(ending.port, "/health")).toMatchObject({ status: 200 });
  });

  it("is not looked at more often than it changes, however often it is asked", async () => {
    let times = 0;
    const { port } = await server(async () => {
      times += 1;
      return true;
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(port, "/ready")));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(times).toBeLessThan(5);
  });

  it("what nobody expected is a mistake of the control plane's, and told to those who operate it", async () => {
    const warnings: string[] = [];
    const metrics = {
      contentType: "text/plain",
      text: () => Promise.reject(new Error("broken")),
    } as unknown as Metrics;
    const { port } = await server(async () => true, { metrics, warn: (message) => void warnings.push(message) });
    expect(await get(port, "/metrics")).toMatchObject({ status: 500, text: expect.not.stringContaining("broken") });
    expect(warnings).toEqual(["GET /metrics failed"]);
  });

  it("is not ready while its owner has no lease in the database", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed, http);
    // Again and again: it comes back as another owner.
    await until(async () => {
      await bed.query("UPDATE cairn.owners SET expires_at = cairn.now() - interval '1 s'");
      return (await get(plane.httpPort, "/ready")).status === 503;
    });
    await until(async () => (await get(plane.httpPort, "/ready")).status === 200);
  });

  it("is what it does, for Prometheus", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed, http);
    const client = connectTo(plane.port);
    const actions = [action("billing.refund"), action("media.encode")];
    await ask(client, clientMethods.register, registerRequestToProto({ namespace: "default", workflows: [], actions }));
    const worker = new RawWorker(plane.port, { prefixes: ["billing."], actions: [action("billing.refund")] });
    await worker.open(7);
    const id = await startRun(client, "billing.refund", 1);
    await startRun(client, "media.encode", 1);
    const call = await worker.call(0);
    const open = await until(async () => {
      const { text } = await get(plane.httpPort, "/metrics");
      return text.includes("cairn_runs_held 1") && text;
    });
    expect(open).toContain('cairn_runs_started_total{type="media.encode"} 1');
    expect(open).toContain("cairn_workers_connected 1");
    expect(open).toContain("cairn_worker_credits 6");
    expect(open).toContain("cairn_calls_in_flight 1");
    expect(open).toContain('cairn_queue_ready{pool="default:media"} 1');
    expect(open).toContain("cairn_dispatch_seconds_count 1");
    expect(open).toContain("nodejs_eventloop_lag_seconds");
    worker.answer(call, "1");
    await untilRun(bed, id, ({ status }) => status === "succeeded");
    const { text } = await get(plane.httpPort, "/metrics");
    expect(text).toContain('cairn_runs_ended_total{type="billing.refund",status="succeeded"} 1');
    const [, commits] = /cairn_commit_seconds_count (\d+)/.exec(text)!;
    expect(Number(commits)).toBeGreaterThan(0);
    expect(text).toContain(`cairn_commit_seconds_bucket{le="+Inf"} ${commits}`);
  });

  it("is told to those with a token for all namespaces alone, where there are tokens", async () => {
    const tokens = [{ token: "all" }, { token: "one", namespace: "billing" }];
    const plane = await openPlane(await testBed(), { ...http, tokens });
    expect(await get(plane.httpPort, "/metrics")).toMatchObject({ status: 401 });
    expect(await get(plane.httpPort, "/metrics", "none")).toMatchObject({ status: 401 });
    expect(await get(plane.httpPort, "/metrics", "one")).toMatchObject({ status: 403 });
    expect(await get(plane.httpPort, "/metrics", "all")).toMatchObject({ status: 200 });
    expect(await get(plane.httpPort, "/ready")).toMatchObject({ status: 200 });
  });
});
