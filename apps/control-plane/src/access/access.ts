import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { PeerCertificate } from "node:tls";
import { type Scope, SCOPES } from "@cairnjs/schemas";
import { Refused } from "../hub/refused.ts";
import { apiKeyUsed, type FoundKey, findApiKey, hasApiKeys, type LivingKey } from "../store/api-keys.ts";
import { closeSession, findSession, openSession } from "../store/sessions.ts";
import type { Queryable } from "../store/statement.ts";
import type { Warn } from "../warn.ts";
import { BriefMemory, type Found } from "./brief-memory.ts";
import { ANYONE, type Caller } from "./caller.ts";
import { both, readCertificate } from "./certificate.ts";
import { bearerIn, isKeyText, sha256 } from "./key-text.ts";
import { tokenMark, tokenName } from "./token-name.ts";
import { Unknown } from "./unknown.ts";
import { WatchedCallers } from "./watched-callers.ts";

/** Of a control plane's settings; keys are in the database. */
export interface AccessToken {
  readonly token: string;
  /** What it is for; without it, all. */
  readonly namespace?: string;
  /** What whoever has it may do; without it, everything. */
  readonly scopes?: readonly Scope[];
}

export interface AccessOptions {
  /** False: nobody is asked who he is. */
  readonly security: boolean;
  readonly tokens: readonly AccessToken[];
  /** Whether a certificate says enough, without a token or a key. */
  readonly certificatesSuffice: boolean;
  /** Where keys and sessions are. */
  readonly client: Queryable;
  readonly warn: Warn;
}

/** How long others may still use a key here that was revoked elsewhere. */
const BRIEF_MS = 2_000;
const REMEMBERED_MAX = 10_000;
/** Of a login. */
export const SESSION_MS = 12 * 60 * 60 * 1_000;
/** Of those who have a certificate and nothing else: they do what workers and their clients do. */
const CERTIFIED_SCOPES: readonly Scope[] = ["read", "operate", "worker"];

/** One that is over is known too, to those who write down that it was used. */
interface KnownKey {
  readonly caller: Caller;
  readonly key: FoundKey;
}

/**
 * Who may speak with this control plane, in which namespaces.
 *
 * Owns: what it was told a moment ago of keys and sessions, and who is watched for as long as a stream takes.
 * Does not own: keys and sessions themselves, which the database has and other processes change.
 *
 * Invariants:
 *   A1  A key or session that has expired, by the database's time, is nobody's. One that was revoked here is so at once, one that was revoked
 *       elsewhere after two seconds.
 *   A2  Nothing that could be used to ask is stored or told: hashes of what was drawn, and proofs of what was not.
 */
export class Access {
  readonly #options: AccessOptions;
  /** By hash: how long a look takes says nothing of what would be right. */
  readonly #tokens: ReadonlyMap<string, Caller>;
  readonly #keys = new BriefMemory<KnownKey>(BRIEF_MS, REMEMBERED_MAX, () => performance.now());
  readonly #sessions = new BriefMemory<Caller>(BRIEF_MS, REMEMBERED_MAX, () => performance.now());
  readonly #watched: WatchedCallers;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#tokens = new Map(
      options.tokens.map((token) => {
        const tokenHash = sha256(token.token).toString("hex");
        return [tokenHash, { ...holderOf(token), tokenHash }];
      }),
    );
    this.#watched = new WatchedCallers(options.client, options.warn);
  }

  /** False: everyone may do everything. */
  get isOn(): boolean {
    return this.#options.security;
  }

  /** Whether there is anybody who could ask by a token or a key. */
  async hasCallers(): Promise<boolean> {
    return !this.isOn || this.#tokens.size > 0 || (await hasApiKeys(this.#options.client));
  }

  /** Who it is, by what a header `authorization` says, and by a certificate of our authority. Rejects if it is nobody known. */
  async callerOf(said: string | undefined, certificate: PeerCertificate | null = null): Promise<Caller> {
    if (!this.isOn) return ANYONE;
    // First what he says: one that is wrong is a guess, whatever his certificate says.
    const caller = said === undefined ? null : await this.#callerWith(bearerIn(said) ?? "");
    const certified = certificate === null ? null : readCertificate(certificate, caller);
    if (caller !== null) return certified === null ? caller : both(caller, certified);
    if (certified !== null && this.#options.certificatesSuffice) return { ...certified, scopes: CERTIFIED_SCOPES };
    throw new Refused("Unauthenticated", "This control plane wants a token or a key: authorization: Bearer …");
  }

  /** Opens a session for whoever has this key or token. Without security there is none. */
  async login(text: string): Promise<{ readonly caller: Caller; readonly secret: string | null }> {
    if (!this.isOn) return { caller: ANYONE, secret: null };
    const caller = await this.#callerWith(text);
    const secret = randomBytes(32).toString("base64url");
    const by = caller.keyId === undefined ? byToken(text, secret) : { keyId: caller.keyId };
    await openSession(this.#options.client, sha256(secret), by, SESSION_MS);
    return { caller, secret };
  }

  /** Who it is, by the secret of a session. Rejects if it is nobody's. */
  async callerOfSession(secret: string): Promise<Caller> {
    if (!this.isOn) return ANYONE;
    const hash = sha256(secret);
    const caller = await this.#sessions.get(hash.toString("hex"), () => this.#findSession(secret, hash));
    if (caller === null) throw new Unknown("session");
    return caller;
  }

  async logout(secret: string): Promise<void> {
    const hash = sha256(secret);
    await closeSession(this.#options.client, hash);
    const isOver = ({ session }: Caller): boolean => session === hash.toString("hex");
    this.#sessions.forget(isOver);
    this.#watched.end(isOver);
  }

  /** A key was revoked: nobody has it any more, and who came with it is sent away. */
  revoked(keyId: string): void {
    const isOver = (caller: Caller): boolean => caller.keyId === keyId;
    this.#keys.forget(({ caller }) => isOver(caller));
    this.#sessions.forget(isOver);
    this.#watched.end(isOver);
  }

  /**
   * For streams: calls `end` once if the key or the session of this caller is over, within two seconds. The function that is
   * returned is to be called when the stream has ended.
   */
  watch(caller: Caller, end: (why: Refused) => void): () => void {
    return this.#watched.watch(caller, end);
  }

  close(): void {
    this.#watched.close();
  }

  async #callerWith(text: string): Promise<Caller> {
    const hash = sha256(text);
    const name = hash.toString("hex");
    const holder = this.#tokens.get(name);
    if (holder !== undefined) return holder;
    const known = isKeyText(text) ? await this.#keys.get(name, () => this.#findKey(hash)) : null;
    if (known === null) throw new Unknown("wrong");
    if (known.key.over !== null) throw new Unknown(known.key.over, known.key);
    return known.caller;
  }

  async #findKey(hash: Buffer): Promise<Found<KnownKey> | null> {
    const key = await findApiKey(this.#options.client, hash);
    if (key === null) return null;
    if (key.over === null) this.#used(key);
    return { value: { caller: callerOfKey(key), key }, livesMs: key.over === null ? key.livesMs : null };
  }

  async #findSession(secret: string, hash: Buffer): Promise<Found<Caller> | null> {
    const found = await findSession(this.#options.client, hash);
    if (found === null) return null;
    const { key, tokenProof, livesMs } = found;
    if (key !== null) this.#used(key);
    const caller = key === null ? this.#callerOfProof(secret, tokenProof!) : callerOfKey(key);
    return caller === null ? null : { value: { ...caller, session: hash.toString("hex") }, livesMs };
  }

  /** A token that is no longer among the settings has no sessions. */
  #callerOfProof(secret: string, proof: Buffer): Caller | null {
    for (const [hash, caller] of this.#tokens) {
      const own = proofOf(secret, Buffer.from(hash, "hex"));
      if (own.length === proof.length && timingSafeEqual(own, proof)) return caller;
    }
    return null;
  }

  /** Nobody waits for it. */
  #used({ id, isStale }: Pick<LivingKey, "id" | "isStale">): void {
    if (!isStale) return;
    apiKeyUsed(this.#options.client, id).catch((error: unknown) =>
      this.#options.warn("It could not be written down when a key was used", error),
    );
  }
}

function holderOf(token: AccessToken): Caller {
  const { namespace = null, scopes = SCOPES } = token;
  return { name: tokenName(token), scopes, namespace };
}

function callerOfKey({ id, namespace, name, prefix, scopes }: Omit<LivingKey, "livesMs" | "isStale">): Caller {
  return { name: `the key ${name} (${prefix})`, scopes, namespace, keyId: id };
}

/** What a session is opened with by who has a token. */
function byToken(token: string, secret: string): { readonly tokenProof: Buffer; readonly tokenMark: string } {
  return { tokenProof: proofOf(secret, sha256(token)), tokenMark: tokenMark(token) };
}

/** Tokens may be short and thought of by people: what is stored says nothing of one to who lacks the session's secret. */
function proofOf(secret: string, tokenHash: Buffer): Buffer {
  return createHmac("sha256", secret).update(tokenHash).digest();
}
