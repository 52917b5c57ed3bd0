import { setTimeout as delay } from "node:timers/promises";
import { Client, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import {
  FRAME_BYTES_MAX,
  fitsInBytes,
  INLINE_BYTES_MAX,
  pb,
  type RunEnd,
  serviceDefinition,
  type StartedRun,
  startRequestToProto,
  startResponseFromProto,
  type Value,
  waitRequestToProto,
  waitResponseFromProto,
} from "@cairnjs/protocol";
import { channelCredentials, Connection, parseAddress, Refused, type WorkerSettings } from "@cairnjs/worker";
import { newRunId } from "./new-run-id.ts";

const { start, wait } = serviceDefinition(pb.ClientService);

const REQUEST_MS_MAX = 30_000;
const WAIT_AGAIN_MS = 500;
const START_TRIES_MAX = 5;
/** For one control plane to answer; then the next one is tried. */
const CONNECT_MS_MAX = 2_000;
const WHY_MS_MAX = 1_000;
/** Of any gRPC server; an empty message asks for all of it. */
const HEALTH_PATH = "/grpc.health.v1.Health/Check";

export type RunsClientSettings = Pick<WorkerSettings, "urls" | "namespace" | "token" | "certificates">;

/** A control plane. */
interface Plane {
  readonly url: string;
  readonly isSecure: boolean;
  readonly client: Client;
  /** For values that are too long for a message. */
  readonly blobs: Connection;
}

/** Starts runs at whichever control plane answers, and waits for them. Rejects with `Refused`. */
export class RunsClient {
  readonly #planes: readonly Plane[];
  readonly #metadata = new Metadata();
  readonly #namespace: string;

  constructor({ urls, namespace, token, certificates }: RunsClientSettings) {
    this.#planes = urls.map((url) => {
      const address = parseAddress(url)!;
      const client = new Client(address.target, channelCredentials(address.isSecure, certificates()), {
        "grpc.max_receive_message_length": FRAME_BYTES_MAX,
        "grpc.max_send_message_length": FRAME_BYTES_MAX,
      });
      return { url, isSecure: address.isSecure, client, blobs: new Connection(address, { token, certificates }) };
    });
    this.#namespace = namespace;
    if (token !== null) this.#metadata.set("authorization", `Bearer ${token}`);
  }

  /** `input` is encoded. The run has an id of ours: a start of which nobody knows whether it worked is made again. */
  async start(type: string, input: string, idempotencyKey: string | null): Promise<StartedRun> {
    const id = newRunId();
    for (let tries = 1; ; tries++) {
      const plane = await this.#connected();
      try {
        return await this.#startOnce(plane, id, type, input, idempotencyKey);
      } catch (error) {
        if (!(error instanceof Refused) || !error.mayChange || tries === START_TRIES_MAX) throw error;
        await delay(WAIT_AGAIN_MS);
      }
    }
  }

  async #startOnce(
    { client, blobs, isSecure }: Plane,
    id: string,
    type: string,
    input: string,
    idempotencyKey: string | null,
  ): Promise<StartedRun> {
    const payload: Value = fitsInBytes(input, INLINE_BYTES_MAX)
      ? { json: input }
      : { blob: await blobs.putBlob(Buffer.from(input)) };
    const key = idempotencyKey === null ? {} : { idempotencyKey };
    const request = startRequestToProto(this.#namespace, [{ id, type, payload, tags: [], ...key }]);
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        start.path,
        start.requestSerialize,
        start.responseDeserialize,
        request,
        this.#metadata,
        { deadline: Date.now() + REQUEST_MS_MAX },
        (error, response) =>
          error === null ? resolve(startResponseFromProto(response!, 1)[0]!) : reject(Refused.by(error, isSecure)),
      );
    });
  }

  /** However long it takes, over control planes that end and come back. */
  async end(runId: string): Promise<RunEnd> {
    for (;;) {
      try {
        return await this.#waitOnce(await this.#connected(), runId);
      } catch (error) {
        if (!(error instanceof Refused) || !error.mayChange) throw error;
        await delay(WAIT_AGAIN_MS);
      }
    }
  }

  async textOf(value: Value): Promise<string> {
    if ("json" in value) return value.json;
    const { blobs } = await this.#connected();
    return Buffer.from(await blobs.getBlob(value.blob)).toString();
  }

  close(): void {
    for (const { client, blobs } of this.#planes) {
      client.close();
      blobs.close();
    }
  }

  /** Nothing is asked before: what was not sent can be sent elsewhere. */
  async #connected(): Promise<Plane> {
    for (const plane of this.#planes) {
      const isReady = await new Promise<boolean>((resolve) => {
        plane.client.waitForReady(Date.now() + CONNECT_MS_MAX, (error) => resolve(error === undefined));
      });
      if (isReady) return plane;
    }
    const whys = await Promise.all(this.#planes.map(async (plane) => `${plane.url}: ${await whyNot(plane)}`));
    throw new Refused(`No control plane answers at ${whys.join("; ")}`, null, true);
  }

  #waitOnce({ client, isSecure }: Plane, runId: string): Promise<RunEnd> {
    return new Promise((resolve, reject) => {
      const stream = client.makeBidiStreamRequest(
        wait.path,
        wait.requestSerialize,
        wait.responseDeserialize,
        this.#metadata,
      );
      stream.on("data", (message: pb.WaitResponse) => {
        const { ends, errors } = waitResponseFromProto(message);
        const [failed] = errors;
        if (failed !== undefined) reject(new Refused(failed.error.message, null, false));
        else if (ends[0] !== undefined) resolve(ends[0]);
        stream.cancel();
      });
      stream.on("error", (error) => reject(Refused.by(error as ServiceError, isSecure)));
      stream.on("end", () => reject(new Refused("The control plane has ended the stream", null, true)));
      stream.write(waitRequestToProto({ namespace: this.#namespace, runIds: [runId] }));
    });
  }
}

/** Why nobody answers there: who waits for a connection is not told. */
function whyNot({ client, isSecure }: Plane): Promise<string> {
  const asIs = (bytes: Buffer): Buffer => bytes;
  const options = { deadline: Date.now() + WHY_MS_MAX };
  return new Promise((resolve) => {
    client.makeUnaryRequest(HEALTH_PATH, asIs, asIs, Buffer.alloc(0), new Metadata(), options, (error) => {
      const isSilent = error === null || error.code !== status.UNAVAILABLE;
      resolve(isSilent ? "it takes too long" : Refused.by(error, isSecure).message);
    });
  });
}
