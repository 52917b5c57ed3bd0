import type { BlobStore } from "../blobs/blob-store.ts";
import { storedForm } from "../blobs/stored-values.ts";
import {
  type Envelope,
  envelopesOf,
  isOrder,
  type Letter,
  MAIL_BYTES_MAX,
  MAIL_MAX,
  openLetters,
  runsWithMail,
  sendMail,
} from "../store/mail.ts";
import type { NewMail, ReadMail } from "../store/transition.ts";
import { wakeRuns } from "../store/wake-runs.ts";
import type { Arrival, HeldRun } from "./held-run.ts";
import type { CallOutcome } from "./outside.ts";
import type { Queryable } from "../store/statement.ts";

/** Of all runs together, in bytes: letters that were given to runs which have not dealt with them. One may be larger. */
const GIVEN_BYTES_MAX = 16 * 1024 * 1024;

/** A letter that was given to its run. */
interface Taken {
  readonly runId: string;
  readonly bytes: number;
  /** A claim has asked whether there is memory for it. */
  readonly claimed: boolean;
  /** Its effect is committed, or the run is gone. */
  isDone: boolean;
}

/** Who waits until all that was there for some runs has been given to them. */
interface Asking {
  readonly ids: readonly string[];
  readonly resolve: () => void;
}

/**
 * Owns: looks at the mailbox for the runs of one owner, and which letters were taken from it.
 *
 * A letter is deleted with the commit of what it caused. A look that began before that commit may still show it: looks
 * are made one after the other, and a letter is forgotten when a look begins after its commit.
 *
 * Letters in memory are bounded in bytes, of each run and of all: the others stay where they are until these are done with.
 * No letter overtakes another one of its run, but for those that end, pause or resume it (orders): these are small, and are
 * always given. (Going on behind the last letter seen would lose some: numbers are not committed in their order.)
 */
export class Mail {
  readonly #client: Queryable;
  readonly #owner: string;
  readonly #runs: ReadonlyMap<string, HeldRun>;
  readonly #arrived: (run: HeldRun) => void;
  readonly #failed: (error: unknown) => void;
  readonly #taken = new Map<number, Taken>();
  /** Of the taken ones that are not done with, but for those of claims. */
  #givenBytes = 0;
  #looking = false;
  #asking: Asking[] = [];
  /** What to look for next: mail of some runs, or of all (null). */
  #wanted: Set<string> | null = new Set();
  /** Runs with letters that there was no room for. */
  #left = new Set<string>();
  /** Runs with so many letters that there may be more behind them. */
  readonly #full = new Set<string>();

  constructor(
    client: Queryable,
    owner: string,
    runs: ReadonlyMap<string, HeldRun>,
    arrived: (run: HeldRun) => void,
    failed: (error: unknown) => void,
  ) {
    this.#client = client;
    this.#owner = owner;
    this.#runs = runs;
    this.#arrived = arrived;
    this.#failed = failed;
  }

  /** Looks for mail of these runs, or of all that are held. */
  look(runs: readonly HeldRun[] | null): void {
    if (runs === null) this.#wanted = null;
    else for (const { id } of runs) this.#wanted?.add(id);
    void this.#loop();
  }

  /** Resolves when all that was there has been given to these runs. */
  looked(runs: readonly HeldRun[]): Promise<void> {
    return new Promise((resolve) => {
      this.#asking.push({ ids: runs.map(({ id }) => id), resolve });
      this.look(runs);
    });
  }

  /** The mail of runs that were claimed and are not held yet. */
  async take(runs: readonly HeldRun[]): Promise<Map<string, Letter[]>> {
    const byRun = new Map<string, Letter[]>();
    if (runs.length === 0) return byRun;
    const byId = new Map(runs.map((run) => [run.id, run]));
    for await (const envelopes of envelopesOf(this.#client, [...byId.keys()])) {
      const { chosen, left } = this.#choose(envelopes, byId, true);
      for (const id of [...left, ...fullIn(envelopes)]) byId.get(id)!.hasMoreMail = true;
      for (const letter of await openLetters(this.#client, chosen)) {
        this.#take(letter, byId.get(letter.runId)!, true);
        const letters = byRun.get(letter.runId);
        if (letters === undefined) byRun.set(letter.runId, [letter]);
        else letters.push(letter);
      }
    }
    return byRun;
  }

  /** What ends, pauses or resumes a run that cannot be held; nothing of it is taken. */
  async orders(id: string): Promise<Letter[]> {
    const orders: Letter[] = [];
    for await (const envelopes of envelopesOf(this.#client, [id])) {
      orders.push(...(await openLetters(this.#client, envelopes.filter(isOrder))));
    }
    return orders;
  }

  /** These were sent letters with a commit: some are held here, others have to be told. */
  sent(ids: readonly string[], tell: () => void): void {
    if (ids.length === 0) return;
    const here = ids.map((id) => this.#runs.get(id)).filter((run) => run !== undefined);
    if (here.length > 0) this.look(here);
    if (here.length < ids.length) tell();
  }

  committed(run: HeldRun, read: readonly ReadMail[]): void {
    this.#done(read);
    // At most so many letters are looked at in one go: there may be more.
    if (read.length > 0) this.look([run]);
  }

  /** The run is no longer held: what it has not read is for whoever claims it next. */
  letGo(run: HeldRun, read: readonly ReadMail[], unread: readonly Arrival[]): void {
    this.#done(read);
    this.forget([...unread, ...run.arrivals]);
  }

  /** These arrivals of a run are not dealt with any more. */
  forget(arrivals: readonly Arrival[]): void {
    this.#done(arrivals.flatMap((each) => (each.kind === "letter" ? [each.letter] : [])));
  }

  #done(letters: readonly { readonly id: number }[]): void {
    for (const { id } of letters) {
      const taken = this.#taken.get(id);
      if (taken === undefined || taken.isDone) continue;
      taken.isDone = true;
      if (!taken.claimed) this.#givenBytes -= taken.bytes;
      const run = this.#runs.get(taken.runId);
      if (run !== undefined) run.letterBytes -= taken.bytes;
    }
    if (letters.length > 0 && this.#givenBytes < GIVEN_BYTES_MAX) this.#lookAtLeft();
  }

  #lookAtLeft(): void {
    const held = Array.from(this.#left, (id) => this.#runs.get(id)).filter((run) => run !== undefined);
    if (held.length < this.#left.size) this.#left = new Set(held.map(({ id }) => id));
    const roomy = held.filter(({ letterBytes }) => letterBytes < MAIL_BYTES_MAX);
    if (roomy.length > 0) this.look(roomy);
  }

  /** A letter may have been sent while its run was being parked: nobody was told of it. */
  async afterPark(woken: () => void): Promise<void> {
    try {
      const { count } = await wakeRuns(this.#client);
      if (count > 0) woken();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Returns those that are durable: the others could not be written to the blob store. */
  async passOn(
    outcomes: readonly CallOutcome[],
    blobs: BlobStore,
    failed: (error: unknown) => void,
  ): Promise<CallOutcome[]> {
    const passedOn: CallOutcome[] = [];
    const letters: NewMail[] = [];
    for (const outcome of outcomes) {
      try {
        const value = await storedForm(blobs, JSON.stringify(outcome));
        letters.push({ runId: outcome.runId, kind: "outcome", call: outcome.call, name: null, value });
        passedOn.push(outcome);
      } catch (error) {
        failed(error);
      }
    }
    if (letters.length > 0) await sendMail(this.#client, letters);
    return passedOn;
  }

  async #loop(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      while (this.#wanted === null || this.#wanted.size > 0) {
        const wanted = this.#wanted;
        this.#wanted = new Set();
        const asking = this.#asking;
        this.#asking = [];
        for (const [id, { isDone }] of this.#taken) if (isDone) this.#taken.delete(id);
        if (wanted === null) this.#left.clear();
        if (wanted === null) this.#full.clear();
        await this.#lookAt(wanted === null ? await runsWithMail(this.#client, this.#owner) : [...wanted]);
        for (const each of asking) {
          if (each.ids.some((id) => this.#hasMore(id))) this.#asking.push(each);
          else each.resolve();
        }
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#looking = false;
    }
  }

  async #lookAt(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#left.delete(id);
    for (const id of ids) this.#full.delete(id);
    for await (const envelopes of envelopesOf(this.#client, ids)) {
      const { chosen, left } = this.#choose(envelopes, this.#runs, false);
      for (const id of left) this.#left.add(id);
      for (const id of fullIn(envelopes)) this.#full.add(id);
      for (const letter of await openLetters(this.#client, chosen)) this.#give(letter);
    }
    for (const id of ids) this.#noteMore(id);
  }

  /** Whether it is held and has letters that it was not given. What was given and is dealt with makes way for more. */
  #hasMore(id: string): boolean {
    return this.#runs.has(id) && (this.#left.has(id) || this.#full.has(id));
  }

  /** A run that stayed for its mail, and has got all of it, may leave. */
  #noteMore(id: string): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    const stayed = run.hasMoreMail;
    run.hasMoreMail = this.#hasMore(id);
    if (!stayed || run.hasMoreMail) return;
    run.arrivals.push({ kind: "idle" });
    this.#arrived(run);
  }

  /** Which letters there is room for, and runs with others. */
  #choose(
    envelopes: readonly Envelope[],
    runs: ReadonlyMap<string, HeldRun>,
    claimed: boolean,
  ): { readonly chosen: Envelope[]; readonly left: ReadonlySet<string> } {
    const chosen: Envelope[] = [];
    const left = new Set<string>();
    const bytesOf = new Map<string, number>();
    let all = claimed ? 0 : this.#givenBytes;
    for (const envelope of envelopes) {
      const { runId, id, bytes } = envelope;
      const run = runs.get(runId);
      // What was given to a run before it was let go is claimed anew.
      if (run === undefined || (!claimed && this.#taken.has(id))) continue;
      const own = bytesOf.get(runId) ?? run.letterBytes;
      const fits = own < MAIL_BYTES_MAX && (claimed || all < GIVEN_BYTES_MAX) && !left.has(runId);
      if (!fits && !isOrder(envelope)) {
        left.add(runId);
        continue;
      }
      chosen.push(envelope);
      bytesOf.set(runId, own + bytes);
      all += bytes;
    }
    return { chosen, left };
  }

  #give(letter: Letter): void {
    const run = this.#runs.get(letter.runId);
    if (run === undefined || this.#taken.has(letter.id)) return;
    this.#take(letter, run, false);
    run.arrivals.push({ kind: "letter", letter });
    this.#arrived(run);
  }

  #take({ runId, id, bytes }: Letter, run: HeldRun, claimed: boolean): void {
    this.#taken.set(id, { runId, bytes, claimed, isDone: false });
    if (!claimed) this.#givenBytes += bytes;
    run.letterBytes += bytes;
  }
}

/** Runs of which there are as many letters as are looked at in one go. */
function fullIn(envelopes: readonly Envelope[]): string[] {
  const counts = new Map<string, number>();
  for (const { runId } of envelopes) counts.set(runId, (counts.get(runId) ?? 0) + 1);
  return [...counts].flatMap(([id, count]) => (count >= MAIL_MAX ? [id] : []));
}
