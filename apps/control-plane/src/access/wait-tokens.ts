import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { Refused } from "../hub/refused.ts";
import { EngineError } from "../library/engine-error.ts";
import type { SigningKey, SigningKeys } from "../secrets/signing-keys.ts";

/** What a token says: one signal to one run, once. */
export interface WaitGrant {
  readonly namespace: string;
  readonly runId: string;
  readonly signal: string;
  /** Under which the signal is sent: it is sent once. */
  readonly key: string;
  readonly expiresAtMs: number;
  /** In the tagged encoding; null: whoever has the token says it. */
  readonly value: string | null;
}

/** An address has at most about 8 KB in practice. */
const WAIT_VALUE_BYTES_MAX = 2_000;

/** As it stands in the token, before the id of the key that it is signed with. Another form gets another beginning. */
const PREFIX = "cairn_w1_";
const FORM = /^(cairn_w1_([0-9a-f]{12})_([\w-]+))\.([\w-]{43})$/;
const Written = z.tuple([z.string(), z.uuid(), z.string(), z.uuid(), z.int(), z.string().nullable()]);

/** Signed addresses. What they are signed with, `SigningKeys` has. */
export class WaitTokens {
  readonly #keys: SigningKeys;

  constructor(keys: SigningKeys) {
    this.#keys = keys;
  }

  /** `newKey`: the id of the key, if it was made for this one. */
  async issue(grant: Omit<WaitGrant, "key">): Promise<{ readonly token: string; readonly newKey: string | null }> {
    const { namespace, runId, signal, expiresAtMs, value } = grant;
    if (value !== null && Buffer.byteLength(value) > WAIT_VALUE_BYTES_MAX) {
      throw new EngineError("PayloadTooLarge", `The value of a token has at most ${WAIT_VALUE_BYTES_MAX} bytes`);
    }
    const { key, isNew } = await this.#keys.current();
    const written: z.infer<typeof Written> = [namespace, runId, signal, randomUUID(), expiresAtMs, value];
    const signed = `${PREFIX}${key.id}_${Buffer.from(JSON.stringify(written)).toString("base64url")}`;
    const token = `${signed}.${signatureOf(key, signed).toString("base64url")}`;
    return { token, newKey: isNew ? key.id : null };
  }

  /** Throws if nobody has issued it, or it is valid no longer. */
  async read(token: string, timeOf: () => Promise<number>): Promise<WaitGrant> {
    const [, signed, keyId, text, signature] = FORM.exec(token) ?? [];
    if (signed === undefined || keyId === undefined || text === undefined || signature === undefined) {
      throw unknownToken();
    }
    const signingKey = await this.#keyOf(keyId);
    const isRight =
      signingKey !== null && timingSafeEqual(Buffer.from(signature, "base64url"), signatureOf(signingKey, signed));
    if (!isRight) throw unknownToken();
    const written = Written.parse(JSON.parse(Buffer.from(text, "base64url").toString()));
    const [namespace, runId, signal, key, expiresAtMs, value] = written;
    if (expiresAtMs <= (await timeOf()))
      throw new Refused("TokenExpired", "This token was valid until a time that has passed");
    return { namespace, runId, signal, key, expiresAtMs, value };
  }

  /** Whoever has a token is nobody to be told what is wrong with master keys. */
  async #keyOf(id: string): Promise<SigningKey | null> {
    try {
      return await this.#keys.find(id);
    } catch (error) {
      if (!(error instanceof EngineError) || !OF_THE_KEY.has(error.code)) throw error;
      throw new EngineError("Unavailable", "This control plane cannot look at tokens");
    }
  }
}

const OF_THE_KEY: ReadonlySet<string> = new Set(["NoMasterKey", "WrongMasterKey", "SecretUnreadable"]);

function signatureOf({ bytes }: SigningKey, signed: string): Buffer {
  return createHmac("sha256", bytes).update(signed).digest();
}

function unknownToken(): Refused {
  return new Refused("NotFound", "There is no such token");
}
