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

/** In the alternative names of its subject: `URI:cairn:namespace:billing`. What else begins like it is meant so, and misspelled. */
const OWN_URI = /^\s*cairn:/i;
const NAMESPACE_URI = "cairn:namespace:";

/** Node.js quotes what has commas and the like in it. */
const NAMES = /(?:^|, )([^:,"]+):("(?:[^"\\]|\\.)*"|[^,]*)/g;

/**
 * Throws `WrongCertificate` if it is for several, or for what cannot be one: that would be for none, not for all. `holder` is who shows it, as
 * far as he said that otherwise.
 */
export function readCertificate({ subject, subjectaltname }: PeerCertificate, holder: Caller | null): Certified {
  const common = [subject?.CN ?? []].flat()[0] ?? "without a name";
  const name = `the certificate ${common.slice(0, 200)}`;
  const uris = [...(subjectaltname ?? "").matchAll(NAMES)].flatMap(([, kind, value]) =>
    kind === "URI" ? [unquoted(value!)] : [],
  );
  const [namespace = null, ...others] = uris
    .filter((uri) => OWN_URI.test(uri))
    .map((uri) => (uri.startsWith(NAMESPACE_URI) ? uri.slice(NAMESPACE_URI.length) : ""));
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
