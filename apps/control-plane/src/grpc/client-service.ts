import { create } from "@bufbuild/protobuf";
import {
  cancelRequestFromProto,
  InvalidMessage,
  pb,
  registerRequestFromProto,
  signalRequestFromProto,
  startRequestFromProto,
  startResponseToProto,
} from "@cairnjs/protocol";
import type { CancelRun, ErrorCode, SignalRun, StartedRun, StartRun, Value } from "@cairnjs/schemas";
import type { BlobStore } from "../blobs/blob-store.ts";
import { Gate } from "../blobs/gate.ts";
import { cancel } from "../library/cancelling.ts";
import { keyOfParts } from "../library/key-of-parts.ts";
import { requireRun } from "../library/require-run.ts";
import type { Engine } from "../library/engine.ts";
import { sendSignal } from "../library/send-signal.ts";
import { checkBytes, type StartRunOptions } from "../library/start-options.ts";
import { textOfValue } from "../hub/values.ts";
import { registerActions, registerWorkflow } from "./registering.ts";
import { codeOf } from "./status.ts";
import type { Warn } from "../warn.ts";

export interface ClientServiceOptions {
  readonly engine: Engine;
  readonly leaseOf: (type: string) => number | null | undefined;
  readonly warn: Warn;
}

/** Values that are blobs, of at most 16 MB each: read and stored so many at a time, whoever asks. */
const BLOBS_READ_MAX = 4;

/** Who asks. */
export interface Asking {
  /** Throws if he may not be in this namespace. */
  readonly check: (namespace: string) => void;
  /** What values he may name. */
  readonly blobs: BlobStore;
}

/** What those who start runs may ask. */
export class ClientService {
  readonly #options: ClientServiceOptions;
  readonly #gate = new Gate(BLOBS_READ_MAX);

  constructor(options: ClientServiceOptions) {
    this.#options = options;
  }

  /** `registered` is told of each workflow as soon as it is: those that follow may be refused. */
  async register(
    message: pb.RegisterRequest,
    { check, blobs }: Asking,
    registered: (name: string) => void,
  ): Promise<pb.RegisterResponse> {
    const { engine, leaseOf } = this.#options;
    const { namespace, workflows, actions } = registerRequestFromProto(message);
    check(namespace);
    const { client, programs } = engine;
    const where = { client, blobs, programs, leaseOf };
    for (const workflow of workflows) {
      await registerWorkflow(where, namespace, workflow);
      registered(workflow.name);
    }
    await registerActions(where, namespace, actions);
    // Runloops look whether limits have changed.
    if (actions.length > 0) engine.tell("cairn_work");
    return create(pb.RegisterResponseSchema);
  }

  async start(message: pb.StartRequest, { check, blobs }: Asking): Promise<pb.StartResponse> {
    const { namespace, runs } = startRequestFromProto(message);
    check(namespace);
    return startResponseToProto(await Promise.all(runs.map((run) => this.#start(namespace, run, blobs))));
  }

  async signal(message: pb.SignalRequest, { check, blobs }: Asking): Promise<pb.SignalResponse> {
    const { namespace, ...signal } = signalRequestFromProto(message);
    check(namespace);
    await this.#signal(namespace, signal, blobs);
    return create(pb.SignalResponseSchema);
  }

  async cancel(message: pb.CancelRequest, { check }: Asking): Promise<pb.CancelResponse> {
    const { namespace, ...cancel } = cancelRequestFromProto(message);
    check(namespace);
    await this.#cancel(namespace, cancel);
    return create(pb.CancelResponseSchema);
  }

  /** One that cannot be started keeps none of the others from it. */
  async #start(namespace: string, run: StartRun | InvalidMessage, named: BlobStore): Promise<StartedRun> {
    try {
      if (run instanceof InvalidMessage) throw run;
      const { engine } = this.#options;
      return await this.#read(`The input of ${run.type}`, run.payload, named, async (payload) => {
        const request = { namespace, type: run.type, payload, checked: false, options: optionsOf(run) };
        const { id, existed } = await engine.starter.startOrFind(request);
        return { kind: existed ? "existed" : "started", id };
      });
    } catch (error) {
      return { kind: "error", error: this.#described(error) };
    }
  }

  /** What a value says, if it is not too large, as long as there is something to do with it. */
  async #read<T>(what: string, value: Value, named: BlobStore, use: (text: string) => Promise<T>): Promise<T> {
    if ("json" in value) return use(value.json);
    checkBytes(what, value.blob.bytes);
    return this.#gate.pass(async () => use(await textOfValue(named, value)));
  }

  #described(error: unknown): { readonly code: ErrorCode; readonly message: string } {
    const code = codeOf(error);
    if (code !== null) return { code, message: (error as Error).message.slice(0, 10_000) };
    this.#options.warn("A run could not be started", error);
    return { code: "Unavailable", message: "Something went wrong in the control plane" };
  }

  async #signal(namespace: string, { runId, name, value, key }: SignalRun, named: BlobStore): Promise<void> {
    const { engine } = this.#options;
    const { client, blobs } = engine;
    const port = { client, blobs, tell: () => engine.tell("cairn_mail") };
    await this.#read(`The value of the signal ${name}`, value, named, (text) =>
      // Whoever else uses the same key, for another run or in another namespace, sends another signal.
      sendSignal(port, namespace, { runId, name, text, key: keyOfParts(namespace, runId, key) }),
    );
  }

  async #cancel(namespace: string, { runId, reason }: CancelRun): Promise<void> {
    const { engine } = this.#options;
    await requireRun(engine.client, namespace, runId);
    await cancel(engine.client, namespace, runId, reason);
    engine.tell("cairn_mail");
    engine.tell("cairn_ended");
  }
}

function optionsOf(run: StartRun): StartRunOptions {
  const { type: _type, payload: _payload, runAtMs, deadlineMs, debounce, deduplicate, ttlMs, ...options } = run;
  return {
    ...options,
    ...(runAtMs === undefined ? {} : { runAt: new Date(runAtMs) }),
    ...(deadlineMs === undefined ? {} : { deadline: new Date(deadlineMs) }),
    ...(debounce === undefined ? {} : { debounce: debounceOf(debounce) }),
    ...(deduplicate === undefined ? {} : { deduplicate: { key: deduplicate.key, for: deduplicate.forMs } }),
    ...(ttlMs === undefined ? {} : { ttl: ttlMs }),
  };
}

function debounceOf({ key, delayMs, maxMs }: NonNullable<StartRun["debounce"]>): StartRunOptions["debounce"] & object {
  return { key, delay: delayMs, ...(maxMs === undefined ? {} : { max: maxMs }) };
}
