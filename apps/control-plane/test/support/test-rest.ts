import type { ControlPlane, ControlPlaneOptions } from "../../src/index.ts";
import { openWorker } from "./open-worker.ts";
import { openPlane } from "./test-control-plane.ts";
import { type TestBed, testBed, until } from "./test-engine.ts";

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A control plane with a worker that has all workflows of the test, and whoever asks it over REST. */
export interface RestBed {
  readonly bed: TestBed;
  readonly plane: ControlPlane;
  readonly warnings: readonly string[];
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Starts a run, and gives its id. */
  start(type: string, payload?: unknown, others?: object): Promise<string>;
  /** Waits for its end. */
  result(id: string): Promise<Answer>;
}

export async function openRest(options: ControlPlaneOptions & { readonly token?: string } = {}): Promise<RestBed> {
  const { token, ...others } = options;
  const bed = await testBed();
  const warnings: string[] = [];
  const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };
  const onWarning = (message: string, error: unknown): void => {
    // Those of tests are, and are often wrong.
    if (message === "A token is short" || message === "Someone was refused") return;
    warnings.push(`${message}: ${error instanceof Error ? error.stack : String(error)}`);
  };
  const plane = await openPlane(bed, { listen, onWarning, ...others });
  openWorker(plane.port, [""], { token: token ?? null });
  await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length > 0);
  const said = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const ask: RestBed["ask"] = async (method, path, body, headers = {}) => {
    const isText = typeof body === "string";
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${plane.httpPort}/v1${path}`, {
      method,
      headers: { ...said, ...json, ...headers },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, type: response.headers.get("content-type"), body: JSON.parse(text) };
  };
  const start: RestBed["start"] = async (type, payload, more = {}) => {
    const { status, body } = await ask("POST", "/runs", { type, payload, ...more });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body["id"] as string;
  };
  return { bed, plane, warnings, ask, start, result: (id) => ask("GET", `/runs/${id}/result?waitMs=30000`) };
}
