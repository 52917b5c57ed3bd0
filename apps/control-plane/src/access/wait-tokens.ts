import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { Refused } from "../hub/refused.ts";
import { EngineError } from "../library/engine-error.ts";
import { signingKey } from "../store/signing-key.ts";
import type { Queryable } from "../store/statement.ts";

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

/** As it stands in the token. Another form gets another beginning. */
const PREFIX = "cairn_w1_";
const Written = z.tuple([z.string(), z.uuid(), z.string(), z.uuid(), z.int(), z.string().nullable()]);

/** Owns: the key with which tokens are signed. It is the database's: all control planes have the same. */
export class WaitTokens {
  readonly #client: Queryable;
  #key: Promise<Buffer> | null = null;

  constructor(client: Queryable) {
    this.#client = client;
  }

  async issue(grant: Omit<WaitGrant, "key">): Promise<string> {
    const { namespace, runId, signal, expiresAtMs, value } = grant;
    if (value !== null && Buffer.byteLength(value) > WAIT_VALUE_BYTES_MAX) {
      throw new EngineError("PayloadTooLarge", `The value of a token has at most ${WAIT_VALUE_BYTES_MAX} bytes`);
    }
    const written: z.infer<typeof Written> = [namespace, runId, signal, randomUUID(), expiresAtMs, value];
    const text = Buffer.from(JSON.stringify(written)).toString("base64url");
    return `${PREFIX}${text}.${(await this.#signature(text)).toString("base64url")}`;
  }

  /** Throws if nobody has issued it, or it is valid no longer. */
  async read(token: string, timeOf: () => Promise<number>): Promise<WaitGrant> {
    const [, text, signature] = /^cairn_w1_([\w-]+)\.([\w-]{43})$/.exec(token) ?? [];
    if (text === undefined || signature === undefined) throw unknownToken();
    if (!timingSafeEqual(Buffer.from(signature, "base64url"), await this.#signature(text))) throw unknownToken();
    const written = Written.parse(JSON.parse(Buffer.from(text, "base64url").toString()));
    const [namespace, runId, signal, key, expiresAtMs, value] = written;
    if (expiresAtMs <= (await timeOf()))
      throw new Refused("TokenExpired", "This token was valid until a time that has passed");
    return { namespace, runId, signal, key, expiresAtMs, value };
  }

  async #signature(text: string): Promise<Buffer> {
    this.#key ??= signingKey(this.#client, randomBytes(32)).catch((error: unknown) => {
      this.#key = null;
      throw error;
    });
    return createHmac("sha256", await this.#key)
      .update(PREFIX)
      .update(text)
      .digest();
  }
}

function unknownToken(): Refused {
  return new Refused("NotFound", "There is no such token");
}
