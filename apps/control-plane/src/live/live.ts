import type { Queryable } from "../store/statement.ts";
import type { Warn } from "../warn.ts";
import { EventFeed } from "./event-feed.ts";
import { AUDIT_LOG, RUN_LOG } from "./live-log.ts";
import { RunTails } from "./run-tails.ts";

/** What is told to those who watch, in one process. */
export class Live {
  readonly events: EventFeed;
  /** What people do. */
  readonly audit: EventFeed;
  readonly runs: RunTails;

  constructor(client: Queryable, warn: Warn) {
    const feed = { client, now: () => performance.now(), warn };
    this.events = new EventFeed({ ...feed, log: RUN_LOG, told: (events) => this.runs.told(events) });
    this.audit = new EventFeed({ ...feed, log: AUDIT_LOG, told: () => {} });
    this.runs = new RunTails(client, () => this.events);
  }

  /** From now on someone may begin to watch. */
  open(): void {
    this.events.open();
    this.audit.open();
  }

  /** Something may have happened, here or elsewhere. */
  hint(): void {
    this.events.hint();
  }

  /** Calls of these runs have ended, here. */
  stepped(runs: Iterable<{ readonly runId: string }>): void {
    this.events.hint();
    this.runs.stepped(runs);
  }

  close(): void {
    this.events.close();
    this.audit.close();
    this.runs.close();
  }
}
