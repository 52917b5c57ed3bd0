/** What grpc-js says about a control plane that it cannot reach, and what that means; `$1` and `$&` are parts of it. */
const MEANINGS: readonly (readonly [said: RegExp, meaning: string])[] = [
  [/^.*ECONNREFUSED (\S+)$/, "nothing listens on $1 (ECONNREFUSED)"],
  [/^Name resolution failed for target (?:dns:)?(\S+)$/, "there is no host for $1"],
  [
    /^Protocol error$/,
    "what answers there does not speak gRPC. It looks like the HTTP port of a control plane, whose gRPC port is another one",
  ],
  [/^.*SSL routines.*$/s, "what answers there does not speak TLS: write http:// instead of https://"],
  [/^Failed to connect$/, "the connection was closed at once. Where TLS is spoken, write https://"],
  [/^.*certificate.*$/, "its certificate is not trusted: $&. CAIRN_TLS_CA is for the authority that has signed it"],
];

/** In our words, and the same each time: grpc-js adds when it was, and OpenSSL where in its sources. */
export function unreachable(details: string): string {
  const said = details
    .replace(/^No connection established\. Last error: /, "")
    .replace(/\.?\s*Resolution note:.*$/s, "")
    .replace(/^Error: /, "")
    .replace(/ \(\d{4}-\d\d-\d\dT[\d:.]+Z\)/, "")
    .trim();
  const [pattern, meaning] = MEANINGS.find(([each]) => each.test(said)) ?? [/^/, ""];
  return said.replace(pattern, meaning);
}
