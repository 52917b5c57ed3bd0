import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refused } from "../hub/refused.ts";

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
/** ASCII is UTF-8. */
const CHARSETS: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii", "ascii"]);

/** Before anything of it is read. Throws `Refused` for a body in other bytes than those of a text in UTF-8. */
export function checkBodyHeaders({ headers }: FastifyRequest): void {
  const encoding = headers["content-encoding"];
  // What is packed may be a thousand times as large: nothing is unpacked here.
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    throw new Refused("UnsupportedMediaType", "Bodies are taken as they are, without a content-encoding");
  const charset = CHARSET.exec(headers["content-type"] ?? "")?.[1]?.toLowerCase();
  if (charset !== undefined && !CHARSETS.has(charset))
    throw new Refused("UnsupportedMediaType", `The body of a request is UTF-8, and not ${charset}`);
}

/** The text of a body. Of bytes that are none, a decoder makes U+FFFD, and nobody would know what was sent. */
export function textOfBody(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notUtf8();
  return bytes.toString();
}

export function notUtf8(cause?: unknown): Refused {
  return new Refused("InvalidMessage", "The body is not UTF-8", { cause });
}

/** Nothing else is taken: what comes as a text is refused (415) and not taken for a value. */
export function takeJsonBodies(app: FastifyInstance): void {
  // In a value, these are names like any other; nothing of a request is merged into anything.
  const parseJson = app.getDefaultJsonParser("ignore", "ignore");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, bytes: Buffer, done) =>
    parseJson(request, textOfBody(bytes), done),
  );
}
