import type { NatsTarget } from "@cairnjs/schemas";
import type { JetStreamClient } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { isLoopback } from "../loopback.ts";
import { notTaken, type OutgoingEvent, type SingleSink, type SinkOutcome, TAKEN } from "./event-sink.ts";
import type { ReadSecret } from "./secrets.ts";

/** What NATS says of one message alone; everything else is said of all. */
const REFUSALS: ReadonlySet<string> = new Set(["InvalidArgumentError", "InvalidSubjectError"]);
/** Nobody has answered: there is no stream for the subject, or no JetStream. */
const NOBODY: ReadonlySet<string> = new Set(["JetStreamNotEnabled", "NoRespondersError"]);
/** Of JetStream: the message is larger than the stream takes. */
const TOO_LARGE = 10_054;

interface Opened {
  readonly connection: NatsConnection;
  readonly stream: JetStreamClient;
}

/**
 * Publishes events to JetStream, each acknowledged by a stream. The event's id is the message's, so that the stream knows one that comes
 * again. A connection that is lost is opened by the next event.
 */
export class NatsSink implements SingleSink {
  readonly #target: NatsTarget;
  readonly #timeoutMs: number;
  readonly #read: ReadSecret;
  #opening: Promise<Opened> | null = null;

  constructor(target: NatsTarget, timeoutMs: number, read: ReadSecret) {
    this.#read = read;
    this.#target = target;
    this.#timeoutMs = timeoutMs;
  }

  async send(event: OutgoingEvent): Promise<SinkOutcome> {
    const { url, subject } = this.#target;
    // Subjects have no spaces, and stars mean something there.
    const to = `${subject}.${event.type.replaceAll(/[\s*>]/g, "_")}`;
    try {
      const { stream } = await this.#opened();
      await stream.publish(to, event.json, { msgID: event.id, timeout: this.#timeoutMs });
      return TAKEN;
    } catch (error) {
      const { name, message, code } = error as Error & { readonly code?: unknown };
      if (REFUSALS.has(name) || code === TOO_LARGE) return notTaken("refused", `NATS refused the event: ${message}`);
      if (NOBODY.has(name)) return notTaken("away", `No stream on ${url} takes ${to}`);
      return notTaken("away", `NATS on ${url} is away: ${message || name}`);
    }
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    await opening?.then(({ connection }) => connection.close()).catch(() => {});
  }

  /** One connection, however many events want it. */
  #opened(): Promise<Opened> {
    if (this.#opening === null) {
      const opening = this.#open();
      const forget = (): void => {
        if (this.#opening === opening) this.#opening = null;
      };
      opening.then(({ connection }) => connection.closed().then(forget), forget);
      this.#opening = opening;
    }
    return this.#opening;
  }

  /** Loaded when someone wants it: most processes never do. */
  async #open(): Promise<Opened> {
    const [{ connect, credsAuthenticator }, { jetstream }] = await Promise.all([
      import("@nats-io/transport-node"),
      import("@nats-io/jetstream"),
    ]);
    const { token, credentials } = this.#target;
    const servers = this.#target.url.split(",").map((server) => server.trim());
    // What it proves who we are by is not for everybody on the way.
    const isSecret = (token !== undefined || credentials !== undefined) && !servers.every(isOnThisMachine);
    const connection = await connect({
      servers,
      ...(isSecret ? { tls: {} } : {}),
      name: "cairn outbox",
      timeout: this.#timeoutMs,
      reconnect: false,
      ...(token === undefined ? {} : { token: await this.#read(token) }),
      ...(credentials === undefined
        ? {}
        : { authenticator: credsAuthenticator(new TextEncoder().encode(await this.#read(credentials))) }),
    });
    return { connection, stream: jetstream(connection) };
  }
}

function isOnThisMachine(server: string): boolean {
  const url = `nats://${server.replace(/^[a-z]+:\/\//i, "")}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname.replaceAll(/[[\]]/g, ""));
}
