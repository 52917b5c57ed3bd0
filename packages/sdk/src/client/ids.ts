/** UUIDs that the client makes, so that a request of which nobody knows whether it worked can be made again. */

/** Of version 7, as runs have them: they begin with the time in milliseconds. */
export function newRunId(atMs: number): string {
  const bytes = chance();
  // Six bytes: more than the bit operators of JavaScript reach.
  for (let index = 5, rest = Math.max(0, Math.floor(atMs)); index >= 0; index--, rest = Math.floor(rest / 256)) {
    bytes[index] = rest % 256;
  }
  return uuidOf(bytes, 0x70);
}

/** Of version 4: what tells a letter, or a request, from all others. `crypto.randomUUID` is missing in browsers without TLS. */
export function newKey(): string {
  return uuidOf(chance(), 0x40);
}

function chance(): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(16));
}

function uuidOf(bytes: Uint8Array, version: number): string {
  bytes[6] = (bytes[6]! & 0x0f) | version;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
