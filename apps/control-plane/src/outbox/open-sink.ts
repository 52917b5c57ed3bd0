import type { SubscriptionTarget } from "@cairnjs/schemas";
import type { EventSink, SingleSink } from "./event-sink.ts";
import { FileSink } from "./file-sink.ts";
import { NatsSink } from "./nats-sink.ts";
import { WebhookSink } from "./webhook-sink.ts";

export type Sink = EventSink | SingleSink;

export interface SinkContext {
  /** What the process itself brings, by name. */
  readonly ports: Readonly<Record<string, EventSink>>;
  /** When the process ends, nothing is waited for. */
  readonly closing: AbortSignal;
}

/** Throws what is wrong with this process: it lacks a secret, or a port. */
export async function openSink(
  target: SubscriptionTarget,
  timeoutMs: number,
  { ports, closing }: SinkContext,
): Promise<Sink> {
  switch (target.kind) {
    case "webhook":
      return WebhookSink.open(target, { timeoutMs, closing });
    case "nats":
      return new NatsSink(target, timeoutMs);
    case "file":
      return new FileSink(target);
    case "port": {
      const port = Object.hasOwn(ports, target.port) ? ports[target.port] : undefined;
      if (port === undefined) throw new Error(`This process was given no port ${JSON.stringify(target.port)}`);
      // It belongs to whoever gave it.
      return { publish: (events) => port.publish(events) };
    }
  }
}
