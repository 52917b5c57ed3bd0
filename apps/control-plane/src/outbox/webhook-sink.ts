import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { Agent as SecureAgent, request as requestSecurely } from "node:https";
import type { SecretReference, WebhookTarget } from "@cairnjs/schemas";
import { Webhook } from "standardwebhooks";
import { isLoopback } from "../loopback.ts";
import { notTaken, type OutgoingEvent, type SingleSink, type SinkOutcome, TAKEN } from "./event-sink.ts";
import { nameOf, type ReadSecret, SecretMissing } from "./secrets.ts";

/** The subscriber never wants anything again. */
const GONE = 410;
const STALE = new Error("The connection was closed");
const TIMED_OUT = new Error("No answer in time");
/** Whoever stands there is busy. */
const BUSY = 429;
/** Whoever stands behind a gateway is not there; or was taken down by the event, as when a connection is broken off. */
const NOT_THERE: ReadonlySet<number> = new Set([502, 503, 504]);

/** Connections of one subscriber, each with one request at a time. */
const CONNECTIONS_MAX = 64;
/** Of an answer nothing but the status is read; one that has more is broken off. */
const ANSWER_BYTES_MAX = 64 * 1024;

export interface WebhookOptions {
  readonly timeoutMs: number;
  readonly read: ReadSecret;
  /** When the process ends, nothing is waited for. */
  readonly closing: AbortSignal;
}

interface OpenedSecrets {
  readonly signers: readonly Webhook[];
  readonly headers: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly statusText: string;
}

/** Sends events by HTTP, as Standard Webhooks says: signed by each of the secrets. Redirects are not followed. */
export class WebhookSink implements SingleSink {
  readonly #target: WebhookTarget;
  readonly #signers: readonly Webhook[];
  readonly #further: Readonly<Record<string, string>>;
  readonly #options: WebhookOptions;
  readonly #isSecure: boolean;
  readonly #agent: Agent;
  /** Requests that have no answer yet. */
  readonly #posted = new Set<ClientRequest>();
  readonly #giveUp = (): void => {
    for (const posted of this.#posted) posted.destroy(new Error("The process ends"));
  };

  private constructor(target: WebhookTarget, opened: OpenedSecrets, options: WebhookOptions) {
    const { signers, headers } = opened;
    this.#target = target;
    this.#further = headers;
    this.#signers = signers;
    this.#options = options;
    this.#isSecure = target.url.startsWith("https:");
    const connections = { keepAlive: true, maxSockets: CONNECTIONS_MAX };
    this.#agent = this.#isSecure ? new SecureAgent(connections) : new Agent(connections);
    options.closing.addEventListener("abort", this.#giveUp);
  }

  static async open(target: WebhookTarget, options: WebhookOptions): Promise<WebhookSink> {
    const signers = await Promise.all((target.secrets ?? []).map((each) => signerOf(each, options.read)));
    return new WebhookSink(target, { signers, headers: await headersOf(target, options.read) }, options);
  }

  async send(event: OutgoingEvent): Promise<SinkOutcome> {
    const { timeoutMs } = this.#options;
    try {
      return this.#judge(await this.#answerTo(event));
    } catch (error) {
      // An event that makes it hang looks the same: so it counts against the event.
      if (error === TIMED_OUT) return notTaken("refused", `${this.#where} did not answer within ${timeoutMs} ms`);
      const isBroken = (error as NodeJS.ErrnoException).code === "ECONNRESET";
      return notTaken("away", `${this.#where} cannot be reached: ${reasonOf(error)}`, isBroken);
    }
  }

  /** A connection that was kept may be closed at the moment it is used: that says nothing of who is there. */
  async #answerTo(event: OutgoingEvent): Promise<Answer> {
    try {
      return await this.#post(event);
    } catch (error) {
      if (error !== STALE) throw error;
      return this.#post(event);
    }
  }

  async close(): Promise<void> {
    this.#options.closing.removeEventListener("abort", this.#giveUp);
    this.#agent.destroy();
  }

  /** (With `fetch`, in a storm of 10,000 events on a busy machine, some requests had no answer within 10 s, where these have.) */
  #post(event: OutgoingEvent): Promise<Answer> {
    const { timeoutMs } = this.#options;
    const send = this.#isSecure ? requestSecurely : request;
    return new Promise<Answer>((resolve, reject) => {
      const posted = send(this.#target.url, { method: "POST", agent: this.#agent, headers: this.#headers(event) });
      this.#posted.add(posted);
      const timer = setTimeout(() => posted.destroy(TIMED_OUT), timeoutMs);
      posted.on("response", (answer) => {
        this.#posted.delete(posted);
        resolve({ status: answer.statusCode ?? 0, statusText: answer.statusMessage ?? "" });
        // One that does not end in time is broken off: its connection would be kept for ever.
        drain(answer).on("close", () => clearTimeout(timer));
      });
      posted.on("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        this.#posted.delete(posted);
        reject(posted.reusedSocket && error.code === "ECONNRESET" ? STALE : error);
      });
      posted.end(event.json);
    });
  }

  #headers(event: OutgoingEvent): Record<string, string> {
    const now = new Date();
    const headers: Record<string, string> = {
      ...this.#further,
      "content-type": "application/cloudevents+json; charset=utf-8",
      "content-length": String(Buffer.byteLength(event.json)),
      "webhook-id": event.id,
      "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    };
    if (this.#signers.length > 0) {
      headers["webhook-signature"] = this.#signers.map((signer) => signer.sign(event.id, now, event.json)).join(" ");
    }
    return headers;
  }

  #judge({ status, statusText }: Answer): SinkOutcome {
    if (status >= 200 && status < 300) return TAKEN;
    const answer = `${this.#where} answered ${status}${statusText === "" ? "" : ` ${statusText}`}`;
    if (status === GONE) return notTaken("gone", answer);
    if (status >= 300 && status < 400) return notTaken("refused", `${answer}: redirects are not followed`);
    if (status === BUSY) return notTaken("away", answer);
    return NOT_THERE.has(status) ? notTaken("away", answer, true) : notTaken("refused", answer);
  }

  /** Without what may be a secret in the address. */
  get #where(): string {
    const { origin, pathname } = new URL(this.#target.url);
    return `${origin}${pathname}`;
  }
}

/** Those that are secrets are not for everybody on the way. */
async function headersOf({ url, headers = {} }: WebhookTarget, read: ReadSecret): Promise<Record<string, string>> {
  const { protocol, hostname } = new URL(url);
  const isOpen = protocol !== "https:" && !isLoopback(hostname.replaceAll(/[[\]]/g, ""));
  const all = Object.entries(headers).map(async ([name, value]): Promise<[string, string]> => {
    if (typeof value === "string") return [name, value];
    if (isOpen) throw new Error(`The header ${name} is a secret, which is sent over https alone`);
    return [name, await read(value)];
  });
  return Object.fromEntries(await Promise.all(all));
}

async function signerOf(reference: SecretReference, read: ReadSecret): Promise<Webhook> {
  const secret = await read(reference);
  try {
    return new Webhook(secret);
  } catch {
    throw new SecretMissing(`The secret ${nameOf(reference)} is not such as whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`);
  }
}

/** So that the connection can be used again, unless there is too much. */
function drain(answer: IncomingMessage): IncomingMessage {
  let bytes = 0;
  answer.on("error", () => {});
  return answer.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) answer.destroy();
  });
}

/** Where several addresses were tried, the first says why. */
function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { message, code } = first as NodeJS.ErrnoException;
  return message || (code ?? "no connection");
}
