import { CloudEvent } from "cloudevents";
import type { OutboxEvent } from "../store/outbox.ts";
import { StoredJson, writtenWith } from "../stored-json.ts";
import type { OutgoingEvent } from "./event-sink.ts";

/**
 * As CloudEvents 1.0 has it. The id has the run's in it: a database that was restored gives numbers again. Throws where it cannot be
 * one: a type without a character, say.
 */
export function outgoing({
  id: number,
  namespace,
  runId,
  type,
  data,
  traceparent,
  createdAt,
}: OutboxEvent): OutgoingEvent {
  const id = `${runId}-${number}`;
  const event = new CloudEvent<unknown>({
    id,
    type,
    source: `/cairn/${encodeURIComponent(namespace)}`,
    subject: runId,
    time: new Date(createdAt).toISOString(),
    datacontenttype: "application/json",
    // The extension for distributed tracing.
    ...(traceparent === null ? {} : { traceparent }),
    data: new StoredJson(data),
  });
  return { id, namespace, runId, type, json: writtenWith(() => JSON.stringify(event)) };
}
