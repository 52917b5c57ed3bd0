import type { ControlPlaneAddress, ControlPlaneFrame, Hello, Welcome } from "@cairnjs/protocol";
import type { Tries, Try } from "../tries.ts";
import type { Access } from "./access.ts";
import { isSameAddress, parseAddress } from "./address.ts";
import type { Connection } from "./connection.ts";
import { divideCredits } from "./credits.ts";
import { Refused } from "./refused.ts";
import { Session } from "./session.ts";

export interface ControlPlanesOptions {
  /** Those that are known from the beginning; they tell where the others are. */
  readonly urls: readonly string[];
  readonly access: Access;
  readonly hello: Hello;
  readonly tries: Tries;
  readonly random: () => number;
  readonly prepare: (connection: Connection) => Promise<void>;
  readonly heard: (session: Session, frame: ControlPlaneFrame) => void;
  /** Calls that may come beyond those that are here. */
  readonly free: () => number;
  readonly log: (line: string) => void;
  /** A control plane has welcomed the worker. */
  readonly connected: () => void;
  /** Nobody will ever speak with this worker as it is. */
  readonly refused: (why: Refused) => void;
}

/**
 * All control planes that a worker knows, with a session to each.
 *
 * Owns: who they are, how free credits are divided among them, with whom an outcome is, and who is sent what a try streams.
 *
 * Invariants:
 *   C1  An outcome that is held is with at least one control plane whose stream is open, if there is any.
 *   C2  There is at most one open stream to a control plane.
 *   C3  The credits of all streams together are never more than what is free here. (Those that were taken back may have been
 *       used: such calls wait.)
 *   C4  Who was given addresses with TLS alone says nothing where there is none, whoever tells of it: what is said first is a key.
 */
export class ControlPlanes {
  readonly #options: ControlPlanesOptions;
  readonly #isSecureOnly: boolean;
  readonly #sessions = new Set<Session>();
  #addresses: readonly ControlPlaneAddress[] = [];
  /** Who was sent an outcome and has not acknowledged it. */
  readonly #askedToKeep = new WeakMap<Try, Session>();
  /** Who is sent what a try streams. */
  readonly #streamsTo = new WeakMap<Try, Session>();
  readonly #whenOpen: ((connection: Connection) => void)[] = [];
  /** What was wrong last, by address: it is said once. */
  readonly #said = new Map<string, string>();
  #isDraining = false;
  #wasWelcomed = false;
  #isBalancing = false;
  #hasFinished = false;

  constructor(options: ControlPlanesOptions) {
    this.#options = options;
    this.#isSecureOnly = options.urls.every((url) => parseAddress(url)?.isSecure === true);
  }

  connect(): void {
    for (const url of this.#options.urls) this.#add(url, null);
  }

  /** For whatever is asked beside the streams: of the session given if that is open, else of any. */
  connection(preferred: Session | null = null): Promise<Connection> {
    const open = preferred?.connection ?? this.#open()[0]?.connection;
    if (open) return Promise.resolve(open);
    return new Promise((resolve) => this.#whenOpen.push(resolve));
  }

  /** An outcome is ready: first for who sent the call. */
  offer(one: Try, sentBy: Session | null): void {
    const takers = this.#open().filter(({ isLeaving }) => !isLeaving);
    const taker = takers.find((session) => session === sentBy) ?? takers[0];
    if (taker === undefined) return;
    this.#askedToKeep.set(one, taker);
    taker.offer(one);
  }

  /** It has streamed something. To one of them, the same as long as that can be: numbers arrive in order. */
  stream(one: Try, sentBy: Session | null): void {
    const before = this.#streamsTo.get(one);
    const takers = this.#open().filter(({ isLeaving }) => !isLeaving);
    const taker =
      takers.find((session) => session === before) ?? takers.find((session) => session === sentBy) ?? takers[0];
    if (taker === undefined) return;
    this.#streamsTo.set(one, taker);
    taker.stream(one);
  }

  /** To all: the run may have another owner than the one who sent the call. */
  beat(one: Try): void {
    for (const session of this.#sessions) session.beat(one);
  }

  drain(): void {
    this.#isDraining = true;
    for (const session of this.#open()) session.sayDraining();
    this.balance();
  }

  async finish(): Promise<void> {
    this.#hasFinished = true;
    await Promise.all([...this.#sessions].map((session) => session.finish()));
  }

  /** Once a turn of the event loop, however much has changed. */
  balance(): void {
    if (this.#isBalancing) return;
    this.#isBalancing = true;
    queueMicrotask(() => {
      this.#isBalancing = false;
      const takers = this.#open().filter(({ isLeaving }) => !isLeaving);
      const parts = divideCredits(this.#isDraining ? 0 : this.#options.free(), takers);
      for (const [index, session] of takers.entries()) session.grant(parts[index]!);
    });
  }

  #open(): Session[] {
    return [...this.#sessions].filter(({ isOpen }) => isOpen);
  }

  #add(url: string, id: string | null): void {
    const { access, hello, tries, random, prepare } = this.#options;
    const session: Session = new Session(
      {
        url,
        access,
        hello,
        tries,
        random,
        prepare,
        opened: (_, welcome) => this.#opened(session, welcome),
        heard: (_, frame) => this.#heard(session, frame),
        closed: (_, why, wasOpen) => this.#closed(session, why, wasOpen),
      },
      id,
    );
    this.#sessions.add(session);
    session.connect();
  }

  #opened(session: Session, { controlPlanes }: Welcome): boolean {
    this.#wasWelcomed = true;
    this.#said.delete(session.url);
    const twin = [...this.#sessions].find((other) => other !== session && other.id === session.id);
    if (twin?.isOpen === true) {
      // Behind one address there may be several: this time it was one that there is a stream to.
      this.#sessions.delete(session);
      this.#learn(controlPlanes);
      return false;
    }
    if (twin !== undefined) this.#drop(twin);
    this.#options.log(`Connected to the control plane ${session.id} at ${session.url}`);
    this.#learn(controlPlanes);
    this.#options.connected();
    if (this.#isDraining) session.sayDraining();
    for (const one of this.#options.tries.all()) {
      if (this.#askedToKeep.get(one)?.isOpen !== true) this.#askedToKeep.set(one, session);
      const home = this.#streamsTo.get(one);
      // On this stream nothing was said yet.
      if (hasChunks(one) && (home === session || home?.isOpen !== true)) this.stream(one, session);
    }
    for (const resolve of this.#whenOpen.splice(0)) resolve(session.connection!);
    this.balance();
    return true;
  }

  #heard(session: Session, frame: ControlPlaneFrame): void {
    if (frame.controlPlanes !== undefined) this.#learn(frame.controlPlanes);
    if (frame.goodbye === true) {
      this.#options.log(`The control plane ${session.id} is going to end`);
      this.#offerElsewhere(session);
    }
    this.#options.heard(session, frame);
    this.balance();
  }

  #closed(session: Session, why: Refused, wasOpen: boolean): void {
    if (this.#hasFinished || !this.#sessions.has(session)) return;
    if (!this.#wasWelcomed && !why.mayChange) return this.#options.refused(this.#refusal(session, why));
    this.#complain(session, why);
    if (wasOpen) this.#offerElsewhere(session);
    if (!this.#isListed(session) && this.#sessions.size > 1) this.#drop(session);
    // Addresses that were told may be of no use from here: one of the first was.
    if (this.#open().length === 0) {
      const isTried = (url: string): boolean => [...this.#sessions].some((other) => isSameAddress(other.url, url));
      for (const url of this.#options.urls) if (!isTried(url)) this.#add(url, null);
    }
    this.balance();
  }

  #refusal({ url }: Session, { message, code, mayChange }: Refused): Refused {
    const { token } = this.#options.access;
    const hint =
      token === null
        ? "give it by CAIRN_KEY or CAIRN_TOKEN"
        : "what CAIRN_KEY or CAIRN_TOKEN says is no key or token of its";
    const about = code === "Unauthenticated" ? `; ${hint}` : "";
    return new Refused(`The control plane at ${url} refuses this worker: ${message}${about}`, code, mayChange);
  }

  #complain({ url }: Session, { message }: Refused): void {
    this.#sayOnce(url, `No stream to ${url}: ${message}. It is tried again`);
  }

  #sayOnce(url: string, line: string): void {
    if (this.#said.get(url) === line) return;
    this.#said.set(url, line);
    this.#options.log(line);
  }

  #offerElsewhere(session: Session): void {
    for (const one of this.#options.tries.all()) {
      if (hasChunks(one) && this.#streamsTo.get(one) === session) this.stream(one, null);
      if (one.outcome !== null && this.#askedToKeep.get(one) === session) this.offer(one, null);
    }
  }

  /** An empty list says nothing. */
  #learn(addresses: readonly ControlPlaneAddress[]): void {
    if (addresses.length === 0 || this.#hasFinished) return;
    this.#addresses = addresses;
    for (const { id, url } of addresses) {
      const isServed = [...this.#sessions].some((session) => session.id === id || isSameAddress(session.url, url));
      if (isServed) continue;
      const why = this.#unusable(url);
      if (why === null) this.#add(url, id);
      else this.#sayOnce(url, `The control plane ${id} is not connected to at ${JSON.stringify(url)}: ${why}`);
    }
    for (const session of this.#sessions) if (!session.isOpen && !this.#isListed(session)) this.#drop(session);
  }

  /** Why an address that was told is not tried. */
  #unusable(url: string): string | null {
    const address = parseAddress(url);
    if (address === null) return "that is no address";
    if (address.isSecure || !this.#isSecureOnly) return null;
    return "it speaks no TLS there, and this worker was given https:// addresses alone";
  }

  #isListed({ id, url }: Session): boolean {
    const isHere = (other: string): boolean => isSameAddress(url, other);
    return this.#options.urls.some(isHere) || this.#addresses.some((other) => other.id === id || isHere(other.url));
  }

  #drop(session: Session): void {
    this.#sessions.delete(session);
    session.retire();
  }
}

function hasChunks({ running }: Try): boolean {
  return running?.chunks !== null && running?.chunks !== undefined;
}
