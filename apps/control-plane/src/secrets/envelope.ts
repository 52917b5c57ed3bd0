import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What was stored is not what was written: it was changed, or is of another place, or of another key. */
export class Unauthentic extends Error {
  override name = "Unauthentic";
}

/** Nonce, ciphertext and tag. `about` is authenticated with it: it is opened with the same texts alone. */
export function encrypt(key: Buffer, plain: Buffer, about: readonly string[]): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(bytesOf(about));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws `Unauthentic`. */
export function decrypt(key: Buffer, sealed: Buffer, about: readonly string[]): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new Unauthentic("It is too short");
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(bytesOf(about));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new Unauthentic("It was not encrypted by this key, for this place");
  }
}

/** As JSON: no list of texts has the bytes of another one. */
function bytesOf(about: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(about));
}
