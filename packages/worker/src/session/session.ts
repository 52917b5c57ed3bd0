import type { ControlPlaneFrame, Hello, Welcome } from "@cairnjs/protocol";
import type { Tries, Try } from "../tries.ts";
import type { Access } from "./access.ts";
import { type Address, parseAddress } from "./address.ts";
import { Backoff } from "./backoff.ts";
import { Connection, type WorkStream } from "./connection.ts";
import { Outbox } from "./outbox.ts";
import { Refused } from "./refused.ts";

/** A control plane that takes a stream and says nothing is as good as none. */
const WELCOME_MS_MAX = 10_000;
/** A stream that was open for so long did not break because it was opened. */
const SETTLED_MS = 2_000;
/** Details of heartbeats are said at once, and then at most so often. */
const DETAILS_EVERY_MS = 250;
/** For the other side to end a stream on which all was said. */
const FINISH_MS_MAX = 1_000;

export interface SessionOptions {
  readonly url: string;
  readonly access: Access;
  readonly hello: Hello;
  readonly tries: Tries;
  readonly random: () => number;
  /** What is to be done on a new connection before the hello. */
  readonly prepare: (connection: Connection) => Promise<void>;
  /** False: someone else speaks with this control plane already. */
  readonly opened: (session: Session, welcome: Welcome) => boolean;
  readonly heard: (session: Session, frame: ControlPlaneFrame) => void;
  /** It tries again by itself, unless it is retired. */
  readonly closed: (session: Session, why: Refused, wasOpen: boolean) => void;
}

/**
 * One worker's stream to one control plane, and the next one when that breaks.
 *
 * Owns: the connection, how many calls have come on it, what is to be said on it. Which calls there are is known to `Tries`.
 *
 * Invariants:
 *   S1  The first frame is the hello. After the welcome come the calls in flight, then all outcomes that are held.
 *   S2  Credits count from the beginning of the stream.
 *   S3  Nothing is kept for a stream that is not there: when one is opened, all is said anew.
 */
export class Session {
  readonly url: string;
  readonly #options: SessionOptions;
  readonly #address: Address;
  readonly #backoff: Backoff;
  /** Of the control plane that has answered last. */
  id: string | null;
  /** Calls that wait there. */
  backlog = 0;
  /** Calls that it may send. */
  free = 0;
  /** It is going to end. */
  isLeaving = false;
  #isRetired = false;
  #connection: Connection | null = null;
  #stream: WorkStream | null = null;
  #outbox: Outbox | null = null;
  #received = 0;
  #saidLimit = 0;
  #openedAt = 0;
  #hasRoom = true;
  #isFlushing = false;
  /** Whichever it waits for: the welcome, or the next try. */
  #timer: NodeJS.Timeout | null = null;
  #beating: NodeJS.Timeout | null = null;
  #detailsTimer: NodeJS.Timeout | null = null;
  readonly #toldAnew = new Set<Try>();
  #whenClosed: (() => void)[] = [];

  constructor(options: SessionOptions, id: string | null) {
    const address = parseAddress(options.url);
    if (address === null) throw new Error(`${JSON.stringify(options.url)} is no address of a control plane`);
    this.url = options.url;
    this.#options = options;
    this.#address = address;
    this.#backoff = new Backoff(options.random);
    this.id = id;
  }

  get isOpen(): boolean {
    return this.#outbox !== null;
  }

  /** Null while there is none. */
  get connection(): Connection | null {
    return this.isOpen ? this.#connection : null;
  }

  connect(): void {
    if (this.#isRetired) return;
    try {
      this.#connection = new Connection(this.#address, this.#options.access);
    } catch (error) {
      // A certificate may be there before its key. Later, as whatever else is wrong: who has asked for it knows of this one by then.
      const why = new Refused(`The certificates cannot be used: ${(error as Error).message}`, null, true, {
        cause: error,
      });
      this.#timer = setTimeout(() => this.#broken(why), 0);
      return;
    }
    void this.#begin(this.#connection);
  }

  async #begin(connection: Connection): Promise<void> {
    try {
      await this.#options.prepare(connection);
    } catch (error) {
      if (this.#connection === connection) this.#broken(refusalOf(error));
      return;
    }
    if (this.#connection !== connection) return;
    const stream = connection.work({
      frame: (frame) => this.#heard(frame),
      writable: () => {
        this.#hasRoom = true;
        this.#flushSoon();
      },
      ended: (why) => this.#broken(why),
    });
    this.#stream = stream;
    stream.send({ hello: this.#options.hello });
    this.#timer = setTimeout(() => stream.cancel(`There was no welcome for ${WELCOME_MS_MAX} ms`), WELCOME_MS_MAX);
  }

  #heard(frame: ControlPlaneFrame): void {
    const { welcome } = frame;
    if (this.isOpen === (welcome !== undefined)) {
      return this.#stream?.cancel("A welcome is the first thing that a control plane says, and only that");
    }
    if (welcome !== undefined) this.#welcomed(welcome);
    const { dispatches, backlog, askInFlight, goodbye } = frame;
    if (!this.isOpen) return;
    if (dispatches !== undefined) {
      this.#received += dispatches.length;
      this.free = Math.max(0, this.free - dispatches.length);
    }
    if (backlog !== undefined) this.backlog = backlog.calls;
    if (goodbye === true) this.isLeaving = true;
    if (askInFlight === true) this.#sayAll();
    this.#options.heard(this, frame);
  }

  #welcomed(welcome: Welcome): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.#outbox = new Outbox();
    this.#openedAt = performance.now();
    this.#hasRoom = true;
    [this.#received, this.#saidLimit, this.free, this.backlog, this.isLeaving] = [0, 0, 0, 0, false];
    this.id = welcome.controlPlaneId;
    if (!this.#options.opened(this, welcome)) return this.retire();
    this.#sayAll();
    this.#beating = setInterval(() => this.#beatAll(), welcome.heartbeatIntervalMs);
  }

  /** Whoever asks what there is may have forgotten what was said. */
  #sayAll(): void {
    this.#outbox?.listInFlight(this.#options.tries.all());
    for (const one of this.#options.tries.all()) {
      this.#outbox?.offer(one);
      if (one.details !== null) this.#outbox?.beat(one);
    }
    this.#flushSoon();
  }

  #beatAll(): void {
    for (const one of this.#options.tries.all()) this.#outbox?.beat(one);
    this.#flushSoon();
  }

  offer(one: Try): void {
    this.#outbox?.offer(one);
    this.#flushSoon();
  }

  /** It has streamed something. */
  stream(one: Try): void {
    this.#outbox?.stream(one);
    this.#flushSoon();
  }

  /** It has told something new. */
  beat(one: Try): void {
    if (!this.isOpen) return;
    this.#toldAnew.add(one);
    if (this.#detailsTimer === null) this.#sayDetails();
  }

  #sayDetails(): void {
    this.#detailsTimer = null;
    if (this.#toldAnew.size === 0) return;
    for (const one of this.#toldAnew) this.#outbox?.beat(one);
    this.#toldAnew.clear();
    this.#detailsTimer = setTimeout(() => this.#sayDetails(), DETAILS_EVERY_MS);
    this.#flushSoon();
  }

  /** It may send so many calls beyond those that have come. */
  grant(free: number): void {
    this.free = free;
    const limit = this.#received + free;
    // Calls that came have used what was said: the same limit is nothing new.
    if (limit === this.#saidLimit || this.#outbox === null) return;
    this.#saidLimit = limit;
    this.#outbox.sayCredits({ received: this.#received, free });
    this.#flushSoon();
  }

  sayDraining(): void {
    this.#outbox?.sayDraining();
    this.#flushSoon();
  }

  /** All that happens in one turn of the event loop goes together. */
  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#hasRoom && this.#outbox !== null) {
      const frame = this.#outbox.next();
      if (frame === null) return;
      this.#hasRoom = this.#stream!.send(frame);
    }
  }

  #broken(why: Refused): void {
    const wasOpen = this.isOpen;
    if (wasOpen && performance.now() - this.#openedAt >= SETTLED_MS) this.#backoff.reset();
    for (const timer of [this.#timer, this.#beating, this.#detailsTimer]) clearTimeout(timer ?? undefined);
    [this.#timer, this.#beating, this.#detailsTimer] = [null, null, null];
    this.#connection?.close();
    [this.#connection, this.#stream, this.#outbox] = [null, null, null];
    this.#toldAnew.clear();
    this.free = 0;
    this.backlog = 0;
    for (const resolve of this.#whenClosed.splice(0)) resolve();
    this.#options.closed(this, why, wasOpen);
    if (!this.#isRetired) this.#timer = setTimeout(() => this.connect(), this.#backoff.nextMs());
  }

  /** Says what is left to say, lets the other side end the stream, and tries no more. */
  async finish(): Promise<void> {
    this.#isRetired = true;
    const stream = this.#stream;
    if (stream === null || !this.isOpen) return this.retire();
    this.#flush();
    stream.finish();
    const closed = new Promise<void>((resolve) => this.#whenClosed.push(resolve));
    const timer = setTimeout(() => stream.cancel(), FINISH_MS_MAX);
    await closed;
    clearTimeout(timer);
  }

  /** At once, and never again. */
  retire(): void {
    this.#isRetired = true;
    clearTimeout(this.#timer ?? undefined);
    if (this.#stream !== null) return this.#stream.cancel();
    this.#connection?.close();
    this.#connection = null;
  }
}

function refusalOf(error: unknown): Refused {
  if (error instanceof Refused) return error;
  return new Refused(error instanceof Error ? error.message : String(error), null, false, { cause: error });
}
