import { Namespace } from "@cairnjs/schemas";
import type { PeerCertificate } from "node:tls";
import { Refused } from "../hub/refused.ts";

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

/** Throws `Refused` if it is for several, or for what cannot be one: that would be for none, not for all. */
export function readCertificate({ subject, subjectaltname }: PeerCertificate): Certified {
  const common = [subject?.CN ?? []].flat()[0] ?? "without a name";
  const uris = [...(subjectaltname ?? "").matchAll(NAMES)].flatMap(([, kind, value]) =>
    kind === "URI" ? [unquoted(value!)] : [],
  );
  const [namespace = null, ...others] = uris
    .filter((uri) => OWN_URI.test(uri))
    .map((uri) => (uri.startsWith(NAMESPACE_URI) ? uri.slice(NAMESPACE_URI.length) : ""));
  if (others.length > 0 || (namespace !== null && !Namespace.safeParse(namespace).success)) {
    throw new Refused("Unauthenticated", `The certificate ${common} names a namespace that is none, or several`);
  }
  return { name: `the certificate ${common.slice(0, 200)}`, namespace };
}

function unquoted(value: string): string {
  return value.startsWith('"') ? String(JSON.parse(value)) : value;
}
