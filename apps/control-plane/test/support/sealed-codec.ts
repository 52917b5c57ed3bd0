import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { PayloadCodec } from "cairnjs";

const key = Buffer.from(process.env["PAYLOAD_KEY"] ?? "", "base64"); // 32 bytes, which Cairn never has

export const codec: PayloadCodec = {
  encode(bytes) {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  },
  decode(bytes) {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
  },
};
