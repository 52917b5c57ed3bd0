import { Namespace } from "@cairnjs/schemas";
import type { PeerCertificate } from "node:tls";
import type { Caller } from "./caller.ts";
import { WrongCertificate } from "./wrong-certificate.ts";

/** What a certificate says of who has it. That its authority is ours, TLS has looked at. */
export interface Certified {
  readonly name: string;
  /** The only one that it is for; null: any. */
  readonly namespace: string | null;
}

/** Among the alternative names of its subject: `URI:cairn:namespace:billing`. */
const NAMESPACE_URI = "cairn:namespace:";
/** What else looks like it is meant so, and misspelled, of whatever kind the name is. */
const MEANT = /^\s*cairn:|cairn:namespace/i;

/** Node.js quotes what has commas and the like in it. */
const NAMES = /(?:^|, )([^:,"]+):("(?:[^"\\]|\\.)*"|[^,]*)/g;

/**
 * Throws `WrongCertificate` if it is for several, or for what cannot be one: that would be for none, not for all. `holder` is who shows it, as
 * far as he said that otherwise.
 */
export function readCertificate({ subject, subjectaltname }: PeerCertificate, holder: Caller | null): Certified {
  const commons = [subject?.CN ?? []].flat();
  const name = `the certificate ${(commons[0] ?? "without a name").slice(0, 200)}`;
  const alternatives = [...(subjectaltname ?? "").matchAll(NAMES)].map(([, kind, value]) => ({
    isUri: kind === "URI",
    text: unquoted(value!),
  }));
  const [namespace = null, ...others] = [...commons.map((text) => ({ isUri: false, text })), ...alternatives]
    .filter(({ text }) => MEANT.test(text))
    .map(({ isUri, text }) => (isUri && text.startsWith(NAMESPACE_URI) ? text.slice(NAMESPACE_URI.length) : ""));
  if (others.length > 0 || (namespace !== null && !Namespace.safeParse(namespace).success)) {
    const who = holder === null ? { name, scopes: [], namespace: null } : holderWith(holder, name);
    const message = `The${name.slice(3)} names a namespace that is none, or several`;
    throw new WrongCertificate("certificate_misspelled", message, who);
  }
  return { name, namespace };
}

/** Who has both may do what the key says, where both may be. */
export function both(caller: Caller, certified: Certified): Caller {
  const [mine, other] = [caller.namespace, certified.namespace];
  const holder = holderWith(caller, certified.name);
  if (mine !== null && other !== null && mine !== other) {
    const message = `${certified.name} is for ${other}, and ${caller.name} for ${mine}`;
    throw new WrongCertificate("certificate_mismatched", message, holder, other);
  }
  return { ...holder, namespace: mine ?? other };
}

function holderWith(caller: Caller, certificate: string): Caller {
  return { ...caller, name: `${caller.name} with ${certificate}` };
}

function unquoted(value: string): string {
  return value.startsWith('"') ? String(JSON.parse(value)) : value;
}
