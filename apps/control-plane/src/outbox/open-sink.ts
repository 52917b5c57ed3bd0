import type { FileTarget, SecretReference } from "@cairnjs/schemas";
import type { Subscription } from "../store/subscriptions.ts";
import type { EventSink, SingleSink } from "./event-sink.ts";
import { type Allowed, fileIn } from "./allowed.ts";
import { FileSink } from "./file-sink.ts";
import { NatsSink } from "./nats-sink.ts";
import { readSecret, type SecretReader } from "./secrets.ts";
import { WebhookSink } from "./webhook-sink.ts";

export type Sink = EventSink | SingleSink;

export interface SinkContext {
  /** What the process itself brings, by name. */
  readonly ports: Readonly<Record<string, EventSink>>;
  /** Of the namespaces, which subscriptions name. */
  readonly secrets: SecretReader;
  /** What of the process subscriptions may use; null: all of it. */
  readonly allowed: Allowed | null;
  /** When the process ends, nothing is waited for. */
  readonly closing: AbortSignal;
}

/** Throws what is wrong with this process: it lacks a secret, or a port. */
export async function openSink(
  { namespace, target, timeoutMs }: Pick<Subscription, "namespace" | "target" | "timeoutMs">,
  { ports, secrets, allowed, closing }: SinkContext,
): Promise<Sink> {
  const read = (reference: SecretReference): Promise<string> => readSecret(reference, namespace, secrets, allowed);
  switch (target.kind) {
    case "webhook":
      return WebhookSink.open(target, { timeoutMs, closing, read });
    case "nats":
      return new NatsSink(target, timeoutMs, read);
    case "file":
      return allowed === null ? new FileSink(target) : fileSinkIn(allowed.eventsFolder, target);
    case "port": {
      const port = Object.hasOwn(ports, target.port) ? ports[target.port] : undefined;
      if (port === undefined) throw new Error(`This process was given no port ${JSON.stringify(target.port)}`);
      // It belongs to whoever gave it.
      return { publish: (events) => port.publish(events) };
    }
  }
}

function fileSinkIn(folder: string | null, target: FileTarget): FileSink {
  const path = fileIn(target.path, folder, "CAIRN_EVENTS_FOLDER");
  return new FileSink({ ...target, path }, folder);
}
