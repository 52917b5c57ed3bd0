import { isStorableText } from "@cairnjs/schemas";
import type { ChunkFeed } from "../chunks/chunk-feed.ts";
import type { ChunkPosition, ChunkRow } from "../store/stream-chunks.ts";
import { EngineError } from "./engine-error.ts";

export interface RunStreamOptions {
  /** The `cursor` of the last chunk that was seen; without it, from the first one that is kept. */
  readonly after?: string;
  /** When it is aborted, the iteration ends with its reason. */
  readonly signal?: AbortSignal;
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
  /** For `after`: all that came before this chunk, and this one, is not told again. */
  readonly cursor: string;
}

export interface RunStreamContext {
  readonly feed: ChunkFeed;
  readonly runId: string;
  /** Resolves when the run has ended. */
  readonly ended: (signal: AbortSignal) => Promise<unknown>;
  readonly decode: (text: string) => unknown;
}

/** Follows a run until it ends. Nothing is read ahead of whoever takes it but a page. */
export async function* streamOf(context: RunStreamContext, options: RunStreamOptions): AsyncGenerator<RunChunk, void> {
  const { feed, runId, decode } = context;
  const { signal } = options;
  let seen = options.after === undefined ? [] : positionsIn(options.after, runId);
  signal?.throwIfAborted();
  const following = feed.follow(runId, seen);
  const left = new AbortController();
  let failure: { readonly error: unknown } | null = null;
  const fail = (error: unknown): void => {
    failure ??= { error };
    following.close();
  };
  context.ended(left.signal).then(() => following.finish(), fail);
  const abort = (): void => fail(signal!.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    for (;;) {
      const rows = await following.next();
      const before = seen;
      for (const [index, row] of rows.entries()) {
        if (failure !== null) break;
        yield chunkOf(row, decode, () => cursorOf(runId, before, rows.slice(0, index + 1)));
      }
      if (failure !== null) throw (failure as { readonly error: unknown }).error;
      if (rows.length === 0) return;
      seen = positionsAfter(before, rows);
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    left.abort();
    following.close();
  }
}

/** The cursor is made when it is asked for: it says of every call of the run how far it was seen. */
function chunkOf(
  { call, attempt, number, value, at }: ChunkRow,
  decode: (text: string) => unknown,
  cursor: () => string,
): RunChunk {
  return {
    call,
    attempt,
    number,
    value: decode(value),
    at: new Date(at),
    get cursor() {
      return cursor();
    },
  };
}

function positionsAfter(before: readonly ChunkPosition[], rows: readonly ChunkPosition[]): ChunkPosition[] {
  const positions = new Map(before.map((each) => [each.call, each]));
  for (const { call, attempt, number } of rows) positions.set(call, { call, attempt, number });
  return [...positions.values()];
}

function cursorOf(runId: string, before: readonly ChunkPosition[], rows: readonly ChunkPosition[]): string {
  const positions = positionsAfter(before, rows).map(({ call, attempt, number }) => [call, attempt, number]);
  return Buffer.from(JSON.stringify([runId, positions])).toString("base64url");
}

/** Throws if it is no cursor of the run. */
export function positionsIn(cursor: string, runId: string): ChunkPosition[] {
  const [of, positions] = parsed(cursor) ?? [];
  if (typeof of !== "string" || !Array.isArray(positions) || !positions.every(isPosition)) {
    throw new EngineError("InvalidOption", `after is the cursor of a chunk, not ${JSON.stringify(cursor)}`);
  }
  if (of !== runId) throw new EngineError("InvalidOption", `after is a cursor of the run ${of}, not of ${runId}`);
  return positions.map(([call, attempt, number]) => ({ call, attempt, number }));
}

function parsed(cursor: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function isPosition(value: unknown): value is [call: string, attempt: number, number: number] {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [call, ...numbers] = value as unknown[];
  return typeof call === "string" && isStorableText(call) && numbers.every(isCount);
}

/** As the database counts. */
function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;
}
