import { Client, type ClientDuplexStream, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import {
  CODE_METADATA_KEY,
  type ControlPlaneFrame,
  controlPlaneFrameFromProto,
  messageToBytes,
  pb,
  serviceDefinition,
  type WorkerFrame,
  workerFrameToProto,
} from "@cairnjs/protocol";
import type { CallRef, Dispatch, Hello, RegisteredWorkflow, StartedRun, StartRun } from "@cairnjs/schemas";
import { registerRequestToProto, startRequestToProto, startResponseFromProto } from "@cairnjs/protocol";
import { definitionOf, type WorkflowDefinition } from "cairnjs";
import { requireCompiled } from "cairnjs/host";
import { onTestFinished } from "vitest";
import { remoteFlows } from "../workflows/remote.ts";
import { until } from "./test-engine.ts";
import { action } from "./test-hub.ts";

const { work } = serviceDefinition(pb.WorkerService);
export const clientMethods = serviceDefinition(pb.ClientService);

/** How a stream or a request has ended. */
export interface Ended {
  readonly status: number;
  readonly code: string | undefined;
  readonly details: string;
}

export function endedBy({ code, details, metadata }: ServiceError): Ended {
  return { status: code, code: metadata?.get(CODE_METADATA_KEY)[0]?.toString(), details };
}

export function connectTo(port: number): Client {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  return client;
}

export function tokenMetadata(token?: string): Metadata {
  const metadata = new Metadata();
  if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
  return metadata;
}

export interface RawWorkerOptions extends Partial<Hello> {
  readonly token?: string;
  readonly answer?: (call: Dispatch) => string | null;
}

/** A worker by hand: it says what the test says, on a stream of its own. */
export class RawWorker {
  readonly hello: Hello;
  readonly frames: ControlPlaneFrame[] = [];
  readonly calls: Dispatch[] = [];
  readonly acknowledged: CallRef[] = [];
  readonly cancels: (CallRef & { readonly reason: string })[] = [];
  ended: Ended | null = null;
  received = 0;
  /** For those that do more than to remember. */
  heard: (frame: ControlPlaneFrame) => void = () => {};
  broken: () => void = () => {};
  readonly #client: Client;
  readonly #options: RawWorkerOptions;
  #stream: ClientDuplexStream<Buffer, pb.WorkResponse> | null = null;

  constructor(port: number, { token, answer, ...hello }: RawWorkerOptions) {
    this.#client = connectTo(port);
    this.#options = {
      ...hello,
      ...(token === undefined ? {} : { token }),
      ...(answer === undefined ? {} : { answer }),
    };
    this.hello = {
      protocolVersion: 1,
      workerId: `raw-${Math.random()}`,
      namespace: "default",
      prefixes: ["remote."],
      actions: [action("remote.charge"), action("remote.slow")],
      capacity: 100,
      language: "typescript",
      libraryVersion: "0.0.0",
      ...hello,
    };
  }

  /** Opens the stream, says hello and what it has, and gives credit. */
  async open(credit = 10, inFlight: readonly CallRef[] = []): Promise<this> {
    this.connect();
    this.say({ hello: this.hello });
    await until(async () => this.frames.some(({ welcome }) => welcome !== undefined));
    this.say({ inFlight: { calls: inFlight.map(refOf), more: false }, credits: { received: 0, free: credit } });
    return this;
  }

  connect(): void {
    this.ended = null;
    this.received = 0;
    this.frames.length = 0;
    const bytes = (message: Buffer): Buffer => message;
    const metadata = tokenMetadata(this.#options.token);
    const stream = this.#client.makeBidiStreamRequest(work.path, bytes, work.responseDeserialize, metadata);
    this.#stream = stream;
    stream.on("data", (message: pb.WorkResponse) => this.#hear(controlPlaneFrameFromProto(message)));
    stream.on("error", (error: ServiceError) => this.#end(endedBy(error)));
    stream.on("end", () => this.#end({ status: 0, code: undefined, details: "" }));
  }

  get isWelcome(): boolean {
    return this.ended === null && this.frames.some(({ welcome }) => welcome !== undefined);
  }

  #end(ended: Ended): void {
    if (this.ended !== null) return;
    this.ended = ended;
    this.broken();
  }

  say(frame: WorkerFrame): void {
    this.sayBytes(messageToBytes(pb.WorkRequestSchema, workerFrameToProto(frame)));
  }

  sayBytes(bytes: Buffer): void {
    this.#stream!.write(bytes);
  }

  /** It takes nothing that it is sent, or does so again. */
  read(isReading: boolean): void {
    if (isReading) this.#stream!.resume();
    else this.#stream!.pause();
  }

  /** As a worker does that has drained. */
  finish(): void {
    this.#stream!.end();
  }

  /** As a process that is killed, or a network that is gone. */
  break(): void {
    this.#stream!.cancel();
  }

  credit(free: number): void {
    this.say({ credits: { received: this.received, free } });
  }

  answer(call: CallRef, json: string): void {
    this.say({ outcomes: [{ ...refOf(call), kind: "result", value: { json }, retry: null, durationMs: 1 }] });
  }

  call(index = 0): Promise<Dispatch> {
    return until(async () => this.calls[index]);
  }

  end(): Promise<Ended> {
    return until(async () => this.ended ?? undefined);
  }

  #hear(frame: ControlPlaneFrame): void {
    this.frames.push(frame);
    this.acknowledged.push(...(frame.acknowledged ?? []));
    this.cancels.push(...(frame.cancels ?? []));
    for (const call of frame.dispatches ?? []) {
      this.received += 1;
      this.calls.push(call);
      const json = this.#options.answer?.(call) ?? null;
      if (json !== null) this.answer(call, json);
    }
    this.heard(frame);
  }
}

export function refOf({ incarnation, runId, call, attempt }: CallRef): CallRef {
  return { incarnation, runId, call, attempt };
}

/** Asks something of the service for clients. */
export function ask<Request, Response>(
  client: Client,
  method: {
    readonly path: string;
    readonly requestSerialize: (message: Request) => Buffer;
    readonly responseDeserialize: (bytes: Buffer) => Response;
  },
  request: Request,
  token?: string,
): Promise<Response> {
  const { path, requestSerialize, responseDeserialize } = method;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      tokenMetadata(token),
      (error, answer) =>
        error === null ? resolve(answer as Response) : reject(Object.assign(new Error(error.details), endedBy(error))),
    );
  });
}

/** Workflows as they are registered: those for these tests, or others. */
export function registrations(flows: readonly object[] = remoteFlows): RegisteredWorkflow[] {
  return flows.map((flow) => {
    const definition = definitionOf(flow) as WorkflowDefinition;
    const { program, hash, version } = requireCompiled(definition);
    return {
      name: definition.name,
      version,
      programHash: hash,
      program: { json: JSON.stringify(program) },
      inputSchema: null,
      maxAttempts: 1,
      tags: [],
      sources: [],
    };
  });
}

export async function registerFlows(client: Client, namespace = "default", token?: string): Promise<void> {
  const request = registerRequestToProto({ namespace, workflows: registrations(), actions: [] });
  await ask(client, clientMethods.register, request, token);
}

export async function registerActions(client: Client, actions: Hello["actions"], namespace = "default"): Promise<void> {
  await ask(client, clientMethods.register, registerRequestToProto({ namespace, workflows: [], actions }));
}

type WantedRun = Pick<StartRun, "type"> & Partial<StartRun> & { readonly input?: unknown };

export async function startRuns(
  client: Client,
  runs: readonly WantedRun[],
  namespace = "default",
  token?: string,
): Promise<StartedRun[]> {
  const wanted = runs.map(({ input, ...run }) => ({
    payload: { json: JSON.stringify(input ?? null) },
    tags: [],
    ...run,
  }));
  const answer = await ask(client, clientMethods.start, startRequestToProto(namespace, wanted), token);
  return startResponseFromProto(answer, runs.length);
}

export async function startOne(client: Client, run: WantedRun): Promise<{ readonly id: string }> {
  const [started] = await startRuns(client, [run]);
  if (started?.kind !== "started") throw new Error(JSON.stringify(started));
  return started;
}

export async function startRun(client: Client, type: string, input?: unknown): Promise<string> {
  return (await startOne(client, { type, input })).id;
}
