import { hash as digest, randomInt } from "node:crypto";

const SMALL = "abcdefghijklmnopqrstuvwxyz0123456789";
const LETTERS = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${SMALL}`;
const PREFIX_LENGTH = 8;
/** 256 bits. */
const SECRET_LENGTH = 43;

const FORM = /^cairn_[a-z0-9]{8}_[A-Za-z0-9]{43}$/;

/** `cairn_x7k2p9qa_…`: scanners of secrets know it by its form, people by the prefix. */
export interface KeyText {
  readonly text: string;
  readonly prefix: string;
  readonly hash: Buffer;
}

export function newKeyText(): KeyText {
  const prefix = drawn(SMALL, PREFIX_LENGTH);
  const text = `cairn_${prefix}_${drawn(LETTERS, SECRET_LENGTH)}`;
  return { text, prefix, hash: sha256(text) };
}

/** Of anything else, nobody need be asked whose it is. */
export function isKeyText(text: string): boolean {
  return FORM.test(text);
}

/** What a header `authorization` says, however it is spelled; null: nothing that could be a token or a key. */
export function bearerIn(said: string): string | null {
  return /^Bearer +(\S+) *$/i.exec(said)?.[1] ?? null;
}

/** What counts as one guess. The text of a key that does not stand as one is another: it says nothing of the key. */
export function credentialIn(said: string): string {
  return bearerIn(said) ?? `authorization ${said}`;
}

/** No salt, no slowness: what is hashed has been drawn, not thought of. */
export function sha256(text: string): Buffer {
  return digest("sha256", text, "buffer");
}

function drawn(letters: string, length: number): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join("");
}
