import type { Chunk } from "@cairnjs/schemas";
import { ChunkWriter, type ChunkWriterOptions } from "../chunks/chunk-writer.ts";
import { valueIssue } from "../runloop/input-check.ts";
import type { OpenCalls } from "./open-calls.ts";
import type { Outcomes } from "./outcomes.ts";
import { Refused } from "./refused.ts";
import type { WorkerSession } from "./worker-session.ts";

export interface StreamedChunksOptions<Owner> {
  readonly open: OpenCalls<Owner>;
  readonly outcomes: Outcomes<Owner>;
  readonly writing: ChunkWriterOptions;
}

/** What becomes of a chunk that a worker brings: it is written, or not kept, or its call is none of the worker's. */
type Verdict = "write" | "drop" | { readonly reason: string };

/**
 * What workers' calls stream.
 *
 * Chunks of a run that is not held here are taken too, as outcomes are: it is looked in the database whether it lives in the worker's
 * namespace. So a try goes on streaming while its run is taken over, and its worker need not know by whom.
 */
export class StreamedChunks<Owner> {
  readonly #options: StreamedChunksOptions<Owner>;
  readonly #writer: ChunkWriter;

  constructor(options: StreamedChunksOptions<Owner>) {
    this.#options = options;
    this.#writer = new ChunkWriter(options.writing);
  }

  /** Resolves when there is room for more. */
  async take(session: WorkerSession<Owner>, chunks: readonly Chunk[]): Promise<void> {
    for (const [index, chunk] of chunks.entries()) {
      const { incarnation, runId, call, attempt, number, json: value } = chunk;
      const issue = valueIssue(value);
      if (issue !== null) throw new Refused("InvalidMessage", `chunks[${index}].json is not a value: ${issue}`);
      const verdict = this.#judge(session, chunk);
      if (verdict === "drop") session.tookChunk(chunk);
      else if (verdict !== "write") session.cancel(chunk, verdict.reason);
      else {
        const { namespace } = session.hello;
        this.#writer.add({ incarnation, namespace, runId, call, attempt, number, value }, (isLiving) => {
          if (isLiving) session.tookChunk(chunk);
          else session.cancel(chunk, "NotOpen: the run has ended, or there is none");
        });
      }
    }
    await this.#writer.room();
  }

  /** Resolves when what these calls have streamed can be seen, or cannot be at the moment: before their runs can end. */
  async flushed(calls: readonly Parameters<ChunkWriter["holds"]>[0][]): Promise<void> {
    if (calls.some((call) => this.#writer.holds(call))) await this.#writer.flush();
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  close(): void {
    this.#writer.close();
  }

  #judge(session: WorkerSession<Owner>, chunk: Chunk): Verdict {
    const { open, outcomes } = this.#options;
    const call = open.get(chunk);
    if (call === undefined) return outcomes.hasEnded(chunk) ? refused("the call is not open") : "write";
    const { namespace, incarnation, attempt } = call.dispatch;
    if (namespace !== session.hello.namespace) return refused("the call is not open");
    if (incarnation !== chunk.incarnation) return refused("it was made before the database was restored");
    // Its result would count. What it streams would mix with that of the try that has taken its place.
    if (attempt > chunk.attempt) return "drop";
    if (attempt < chunk.attempt) return "write";
    const isAsked = call.worker === null || call.worker === session.key;
    if (!isAsked) return refused("the call was dispatched to another worker");
    call.heardAt = session.heardAt;
    return "write";
  }
}

function refused(why: string): Verdict {
  return { reason: `NotOpen: ${why}` };
}
