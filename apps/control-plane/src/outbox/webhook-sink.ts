import type { SecretReference, WebhookTarget } from "@cairnjs/schemas";
import { Webhook } from "standardwebhooks";
import { notTaken, type OutgoingEvent, type SingleSink, type SinkOutcome, TAKEN } from "./event-sink.ts";
import { readSecret, SecretMissing } from "./secrets.ts";

/** The subscriber never wants anything again. */
const GONE = 410;
/** These say nothing of the event: whoever stands there is busy, or not there. */
const NOT_NOW: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface WebhookOptions {
  readonly timeoutMs: number;
  /** When the process ends, nothing is waited for. */
  readonly closing: AbortSignal;
}

/** Sends events by HTTP, as Standard Webhooks says: signed by each of the secrets. Redirects are not followed. */
export class WebhookSink implements SingleSink {
  readonly #target: WebhookTarget;
  readonly #signers: readonly Webhook[];
  readonly #options: WebhookOptions;

  private constructor(target: WebhookTarget, signers: readonly Webhook[], options: WebhookOptions) {
    this.#target = target;
    this.#signers = signers;
    this.#options = options;
  }

  static async open(target: WebhookTarget, options: WebhookOptions): Promise<WebhookSink> {
    return new WebhookSink(target, await Promise.all((target.secrets ?? []).map(signerOf)), options);
  }

  async send(event: OutgoingEvent): Promise<SinkOutcome> {
    const { timeoutMs, closing } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(this.#target.url, {
        method: "POST",
        headers: this.#headers(event),
        body: event.json,
        redirect: "manual",
        signal: AbortSignal.any([timeout, closing]),
      });
      await response.body?.cancel();
      return this.#judge(response);
    } catch (error) {
      // An event that makes it hang looks the same: so it counts against the event.
      if (timeout.aborted) return notTaken("refused", `${this.#where} did not answer within ${timeoutMs} ms`);
      return notTaken("away", `${this.#where} cannot be reached: ${reasonOf(error)}`);
    }
  }

  async close(): Promise<void> {}

  #headers(event: OutgoingEvent): Record<string, string> {
    const now = new Date();
    const headers: Record<string, string> = {
      ...this.#target.headers,
      "content-type": "application/cloudevents+json; charset=utf-8",
      "webhook-id": event.id,
      "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    };
    if (this.#signers.length > 0) {
      headers["webhook-signature"] = this.#signers.map((signer) => signer.sign(event.id, now, event.json)).join(" ");
    }
    return headers;
  }

  #judge({ ok, status, statusText }: Response): SinkOutcome {
    if (ok) return TAKEN;
    const answer = `${this.#where} answered ${status}${statusText === "" ? "" : ` ${statusText}`}`;
    if (status === GONE) return notTaken("gone", answer);
    if (status >= 300 && status < 400) return notTaken("refused", `${answer}: redirects are not followed`);
    return notTaken(NOT_NOW.has(status) ? "away" : "refused", answer);
  }

  /** Without what may be a secret in the address. */
  get #where(): string {
    const { origin, pathname } = new URL(this.#target.url);
    return `${origin}${pathname}`;
  }
}

async function signerOf(reference: SecretReference): Promise<Webhook> {
  const secret = await readSecret(reference);
  try {
    return new Webhook(secret);
  } catch {
    const name = "env" in reference ? reference.env : reference.file;
    throw new SecretMissing(`The secret ${name} is not such as whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`);
  }
}

/** `fetch` says why in the causes of its errors. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf({ cause: cause.errors[0] as Error });
  if (cause instanceof Error) return cause.message || ((cause as NodeJS.ErrnoException).code ?? cause.name);
  return message;
}
