import type { BlobStore } from "../blobs/blob-store.ts";
import { storedForm } from "../blobs/stored-values.ts";
import { type Letter, mailOfOwner, mailOfRuns, sendMail } from "../store/mail.ts";
import type { NewMail, ReadMail } from "../store/transition.ts";
import { wakeRuns } from "../store/wake-runs.ts";
import type { Arrival, HeldRun } from "./held-run.ts";
import type { CallOutcome } from "./outside.ts";
import type { Queryable } from "../store/statement.ts";

/**
 * Owns: looks at the mailbox for the runs of one owner, and which letters were taken from it.
 *
 * A letter is deleted with the commit of what it caused. A look that began before that commit may still show it: looks
 * are made one after the other, and a letter is forgotten when a look begins after its commit.
 */
export class Mail {
  readonly #client: Queryable;
  readonly #owner: string;
  readonly #runs: ReadonlyMap<string, HeldRun>;
  readonly #arrived: (run: HeldRun) => void;
  readonly #failed: (error: unknown) => void;
  /** Letters that were given to their runs, and whether that is done with: their effect is committed, or the run gone. */
  readonly #taken = new Map<number, boolean>();
  #looking = false;
  /** Who waits for a look that has not begun. */
  #whenLooked: (() => void)[] = [];
  /** What to look for next: mail of some runs, or of all (null). */
  #wanted: Set<string> | null = new Set();

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
      this.#whenLooked.push(resolve);
      this.look(runs);
    });
  }

  /** The mail of runs that were claimed and are not held yet. */
  async take(runs: readonly HeldRun[]): Promise<Map<string, Letter[]>> {
    const letters =
      runs.length === 0
        ? []
        : await mailOfRuns(
            this.#client,
            runs.map(({ id }) => id),
          );
    const byRun = new Map<string, Letter[]>();
    for (const letter of letters) {
      this.#taken.set(letter.id, false);
      byRun.set(letter.runId, [...(byRun.get(letter.runId) ?? []), letter]);
    }
    return byRun;
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
    this.#done([...unread, ...run.arrivals].flatMap((each) => (each.kind === "letter" ? [each.letter] : [])));
  }

  #done(letters: readonly { readonly id: number }[]): void {
    for (const { id } of letters) if (this.#taken.has(id)) this.#taken.set(id, true);
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
        const whenLooked = this.#whenLooked;
        this.#whenLooked = [];
        for (const [id, isDone] of this.#taken) if (isDone) this.#taken.delete(id);
        this.#give(
          wanted === null ? await mailOfOwner(this.#client, this.#owner) : await mailOfRuns(this.#client, [...wanted]),
        );
        for (const resolve of whenLooked) resolve();
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#looking = false;
    }
  }

  #give(letters: readonly Letter[]): void {
    for (const letter of letters) {
      const run = this.#runs.get(letter.runId);
      if (run === undefined || this.#taken.has(letter.id)) continue;
      this.#taken.set(letter.id, false);
      run.arrivals.push({ kind: "letter", letter });
      this.#arrived(run);
    }
  }
}
