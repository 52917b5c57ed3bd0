import type { ServerEvent } from "./event-stream.ts";
import type { Values } from "./values.ts";

/** Something that has happened to a run. */
export interface LiveEvent {
  /** For `after`: this event, and all that came before it, are not told again. */
  readonly cursor: string;
  readonly runId: string;
  /** Of the run. */
  readonly type: string;
  /** One of docs/events.md; `step` of an input that the run has taken, on the stream of one run. */
  readonly kind: string;
  readonly data: unknown;
  /** What goes with it is too long to be told: `show()`, `steps()` and the events of the run have it. */
  readonly cut?: true;
  readonly at: Date;
}

/** What a call has given to `stream()`. */
export interface RunChunk {
  readonly call: string;
  readonly attempt: number;
  /** Counts from 1 in each attempt. */
  readonly number: number;
  readonly value: unknown;
  /** When it was taken, by the database's clock. */
  readonly at: Date;
  /** For `after`: this chunk, and all that came before it, are not told again. */
  readonly cursor: string;
}

type Wire<T extends { readonly at: Date }> = Omit<T, "at"> & { readonly at: string };

/** Data are no values, but have some in them: what cannot be read as one stays as it is. */
export async function liveEventOf(values: Values, { data }: ServerEvent): Promise<LiveEvent> {
  const event = JSON.parse(data) as Wire<LiveEvent>;
  const said = await values.decode(event.data).catch(() => event.data);
  return { ...event, data: said, at: new Date(event.at) };
}

export async function chunkOf(values: Values, { data, id }: ServerEvent): Promise<RunChunk> {
  const chunk = JSON.parse(data) as Omit<Wire<RunChunk>, "cursor">;
  return { ...chunk, value: await values.decode(chunk.value), at: new Date(chunk.at), cursor: id ?? "" };
}
