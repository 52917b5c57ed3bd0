import { CairnError } from "./cairn-error.ts";
import { EventStreamReader, type ServerEvent } from "./event-stream.ts";
import { Failure, type Patience } from "./patience.ts";
import type { Attempt, Query, Transport } from "./transport.ts";

export interface FollowOptions {
  /** The `cursor` of the last one that was seen: those behind it come. */
  readonly after?: string;
  /** When it is aborted, the iteration ends with its reason. */
  readonly signal?: AbortSignal;
  /** Told why a connection was lost, before another is tried: once, until something comes again. */
  readonly onLost?: (error: CairnError) => void;
}

/** Which stream. */
export interface Followed {
  readonly path: string;
  readonly query?: Query;
}

/** The control plane says something at least every 15 s: whoever says nothing for so long is gone. */
const SILENCE_MS_MAX = 45_000;

/** Dropped so often with nothing in between: to come back is of no use. */
const DROPS_MAX = 3;

/**
 * Follows a stream of events over connections that break: each begins behind the last event that was taken, so none is lost and none
 * comes twice. Ends when the server says that it is the end. Nothing is read that nobody asks for: a reader that is slow is
 * dropped by the control plane one day, and goes on where it was.
 */
export async function* follow(
  transport: Transport,
  followed: Followed,
  { after, signal, onLost }: FollowOptions,
): AsyncGenerator<ServerEvent, void> {
  const patience = transport.patience();
  const line = { isLost: false };
  let cursor = after ?? null;
  let drops = 0;
  for (;;) {
    const attempt = transport.attempt(signal);
    const reader = new EventStreamReader(cursor);
    const connection: Connection = { reader, attempt, patience, line, leave: () => {} };
    let failure = brokenOff();
    try {
      attempt.rethrowAborted();
      for await (const event of eventsOf(transport, followed, connection)) {
        if (event.event === "end") return;
        if (event.event === "dropped") {
          const reason = reasonIn(event.data);
          // One that ends has others beside it, or another after it: nobody is to blame, however often that is.
          if (reason === "closing") connection.leave();
          else drops += 1;
          failure = droppedFor(reason, drops);
          break;
        }
        if (event.event !== "message") continue;
        drops = 0;
        yield event;
        attempt.rethrowAborted();
      }
    } catch (error) {
      attempt.rethrowAborted();
      if (!(error instanceof Failure)) throw error;
      failure = error;
    } finally {
      attempt.cut();
      attempt.end();
    }
    if (failure.again === "never") throw failure.error;
    if (!line.isLost) onLost?.(failure.error);
    line.isLost = true;
    cursor = reader.lastId;
    await transport.waited(patience, failure.after(reader.retryMs ?? 0), signal);
  }
}

interface Connection {
  readonly reader: EventStreamReader;
  readonly attempt: Attempt;
  readonly patience: Patience;
  /** Over all connections: whether nothing has come since one was lost. */
  readonly line: { isLost: boolean };
  /** The next one goes elsewhere. */
  leave: () => void;
}

/** What one connection tells, to its end. Rejects with `Failure` if it breaks. */
async function* eventsOf(
  transport: Transport,
  followed: Followed,
  connection: Connection,
): AsyncGenerator<ServerEvent, void> {
  const { reader, attempt, patience, line } = connection;
  const cursor = reader.lastId;
  const headers = { accept: "text/event-stream", ...(cursor === null ? {} : { "last-event-id": cursor }) };
  const { response, leave } = await inTime(
    attempt,
    transport.open({ ...followed, method: "GET", headers, repeatable: true }, attempt),
  );
  connection.leave = leave;
  const type = response.headers.get("content-type") ?? "without a type";
  if (response.body === null || !type.startsWith("text/event-stream")) {
    throw new Failure(
      new CairnError("NoControlPlane", `The answer is no stream of events: it is ${type}`, response.status),
    );
  }
  patience.answered();
  const body = response.body.getReader();
  for (;;) {
    const { done, value } = await inTime(attempt, body.read()).catch((error: unknown) => {
      throw brokenOff(error);
    });
    if (done) return;
    patience.reset();
    line.isLost = false;
    yield* reader.read(value);
  }
}

/** A connection over which nothing comes is broken, though nobody has said so. */
async function inTime<T>(attempt: Attempt, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => attempt.cut(), SILENCE_MS_MAX);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

function brokenOff(cause?: unknown): Failure {
  return new Failure(new CairnError("NoAnswer", "The stream of events was broken off", 0, { cause }), "repeatable");
}

/** Who has another past than the database, since that was restored, or comes from before what is kept, has to begin anew. */
function droppedFor(reason: string, drops: number): Failure {
  const error = new CairnError("StreamDropped", `The control plane has ended the stream: ${reason}`);
  const isLost = ["unknown cursor", "expired"].includes(reason);
  return new Failure(error, isLost || drops >= DROPS_MAX ? "never" : "repeatable");
}

function reasonIn(data: string): string {
  try {
    const { reason } = JSON.parse(data) as { readonly reason?: unknown };
    return typeof reason === "string" ? reason : data;
  } catch {
    return data;
  }
}
