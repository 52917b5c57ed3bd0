import { hash } from "node:crypto";
import type { Metadata } from "@grpc/grpc-js";
import { Refused } from "../hub/refused.ts";

export interface AccessToken {
  readonly token: string;
  /** What it is for; without it, all. */
  readonly namespace?: string;
}

/** Who may speak with this control plane, in which namespaces. */
export class Tokens {
  /** By hash: how long a look takes says nothing of what would be right. */
  readonly #namespaces: ReadonlyMap<string, string | null> | null;

  /** Null: everyone may, everywhere. */
  constructor(tokens: readonly AccessToken[] | null) {
    this.#namespaces =
      tokens === null
        ? null
        : new Map(tokens.map(({ token, namespace }) => [hash("sha256", token), namespace ?? null]));
  }

  /** The namespace that whoever asks is bound to; null: any. Throws if it is nobody known. */
  namespaceOf(metadata: Metadata): string | null {
    const said = metadata.get("authorization")[0];
    return this.namespaceOfSaid(said === undefined ? undefined : String(said));
  }

  /** The same, of what a header says. */
  namespaceOfSaid(said: string | undefined): string | null {
    if (this.#namespaces === null) return null;
    if (said === undefined) {
      throw new Refused("Unauthenticated", "This control plane wants a token: the metadata authorization: Bearer …");
    }
    const [, token] = /^Bearer +(\S+) *$/i.exec(said) ?? [];
    const namespace = token === undefined ? undefined : this.#namespaces.get(hash("sha256", token));
    if (namespace === undefined) throw new Refused("Unauthenticated", "Nobody has this token");
    return namespace;
  }

  /** For what concerns all namespaces. */
  checkAll(said: string | undefined): void {
    if (this.namespaceOfSaid(said) === null) return;
    throw new Refused("WrongNamespace", "The token is for one namespace, and this concerns all of them");
  }

  check(metadata: Metadata, namespace: string): void {
    const bound = this.namespaceOf(metadata);
    if (bound !== null && bound !== namespace) throw wrongNamespace(namespace);
  }
}

export function wrongNamespace(namespace: string): Refused {
  return new Refused("WrongNamespace", `The token is not for the namespace ${namespace}`);
}
