/** Of a certificate of the client: ours. */
const OWN = "the certificate of CAIRN_TLS_CERT";
const WANTED = "a certificate of a client: CAIRN_TLS_CERT and CAIRN_TLS_KEY";

/** By which the other side ends a handshake (RFC 8446, 6.2), and what each says to whoever runs this one. */
const ALERTS: Readonly<Record<number, string>> = {
  // Before TLS 1.3 this is said to who lacks a certificate too.
  40: `it agrees on no TLS with this side. It may want ${WANTED}`,
  42: `it does not take ${OWN}`,
  43: `it does not take ${OWN}`,
  44: `${OWN} was revoked`,
  45: `${OWN} has expired`,
  46: `it does not take ${OWN}`,
  48: `it does not know the authority of ${OWN}`,
  70: "it speaks no version of TLS that this side speaks",
  116: `it wants ${WANTED}`,
  120: "what answers there does not speak gRPC",
};

/** As OpenSSL says one, and what else is wrong with TLS. */
const ALERT = /SSL routines:[^:]*:([^:]+):.*SSL alert number (\d+)/s;
const BROKEN_TLS = /SSL routines:[^:]*:([^:]+):/;
/** What is no record of TLS, as each version of OpenSSL says it. */
const NO_TLS = /wrong version number|packet length too long|http request|record layer failure/;

/** What else grpc-js says about a control plane that it cannot reach, and what that means; `$1` and `$&` are parts of it. */
const MEANINGS: readonly (readonly [said: RegExp, meaning: string])[] = [
  [/^.*ECONNREFUSED (\S+)$/, "nothing listens on $1 (ECONNREFUSED)"],
  [/^Name resolution failed for target (?:dns:)?(\S+)$/, "there is no host for $1"],
  [
    /^Protocol error$/,
    "what answers there does not speak gRPC. It looks like the HTTP port of a control plane, whose gRPC port is another one",
  ],
  [/^.*certificate.*$/, "its certificate is not trusted: $&. CAIRN_TLS_CA is for the authority that has signed it"],
];

const CLOSED =
  /^(?:Failed to connect|Client network socket disconnected before secure TLS connection was established)$/;
/** A server on Node.js, as ours is, says no alert to who shows one that it does not take. */
const CLOSED_TLS = `the connection was closed at once. If it wants certificates of clients, it may not take ${OWN}: it has expired, is not for clients, or is of an authority that is not known there`;
const CLOSED_PLAIN = "the connection was closed at once. Where TLS is spoken, write https://";

/** In our words, and the same each time: grpc-js adds when it was, and OpenSSL where in its sources. */
export function unreachable(details: string, isSecure: boolean): string {
  const said = details
    .replace(/^No connection established\. Last error: /, "")
    .replace(/\.?\s*Resolution note:.*$/s, "")
    .replace(/^Error: /, "")
    .replace(/ \(\d{4}-\d\d-\d\dT[\d:.]+Z\)/, "")
    .trim();
  if (CLOSED.test(said)) return isSecure ? CLOSED_TLS : CLOSED_PLAIN;
  const [pattern, meaning] = MEANINGS.find(([each]) => each.test(said)) ?? [/^/, ""];
  return brokenTls(said) ?? said.replace(pattern, meaning);
}

/** What is wrong with TLS, by an error of OpenSSL; null: it is none. */
export function brokenTls(said: string): string | null {
  const [, text, alert] = ALERT.exec(said) ?? [];
  if (alert !== undefined) return ALERTS[Number(alert)] ?? `it has ended the handshake of TLS: ${text}`;
  const [, why] = BROKEN_TLS.exec(said) ?? [];
  if (why === undefined) return null;
  if (NO_TLS.test(why)) return "what answers there does not speak TLS: write http:// instead of https://";
  return `no TLS can be agreed on: ${why}`;
}
