import type { FastifyInstance } from "fastify";
import { Refused } from "../hub/refused.ts";
import { notUtf8, textOfBody } from "./request-body.ts";

/** Also `application/cloudevents+json`, and the like. */
const JSON_TYPES = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/;
const FORM_TYPE = "application/x-www-form-urlencoded";
/** What is made of a field takes many times its bytes. */
const FIELDS_MAX = 1_000;

/** What was posted. Nothing is posted as undefined, which is not null; and what is written down of requests is not looked for in it. */
export class Posted {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/**
 * Bodies as systems post them that know nothing of Cairn: JSON is what it is, a form is an object of texts, a text is one. Nothing, as a
 * button sends it, is undefined.
 */
export function takePostedValues(scope: FastifyInstance): void {
  // In a value, these are names like any other.
  const parseJson = scope.getDefaultJsonParser("ignore", "ignore");
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(JSON_TYPES, { parseAs: "buffer" }, (request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, new Posted(undefined));
    return parseJson(request, textOfBody(bytes), (error, value) => done(error, new Posted(value)));
  });
  scope.addContentTypeParser(
    FORM_TYPE,
    { parseAs: "buffer" },
    async (_: unknown, bytes: Buffer) => new Posted(formOf(bytes)),
  );
  scope.addContentTypeParser(
    "text/plain",
    { parseAs: "buffer" },
    async (_: unknown, bytes: Buffer) => new Posted(bytes.length === 0 ? undefined : textOfBody(bytes)),
  );
  scope.addContentTypeParser("*", async () => {
    throw new Refused("UnsupportedMediaType", "The body is JSON, a form, a text (text/plain) or nothing");
  });
}

/** A text for each name; of one that comes several times, all of them. */
function formOf(bytes: Buffer): object | undefined {
  if (bytes.length === 0) return undefined;
  const body = textOfBody(bytes);
  checkEscapes(body);
  if (body.split("&", FIELDS_MAX + 1).length > FIELDS_MAX)
    throw new Refused("InvalidMessage", `A form has at most ${FIELDS_MAX} fields`);
  const fields = new URLSearchParams(body);
  return Object.fromEntries(
    [...new Set(fields.keys())].map((name) => {
      const texts = fields.getAll(name);
      return [name, texts.length === 1 ? texts[0] : texts];
    }),
  );
}

/** Of escapes that stand for other bytes than those of UTF-8, `URLSearchParams` would make U+FFFD. */
function checkEscapes(form: string): void {
  try {
    for (const [bytes] of form.matchAll(/(?:%[89a-f][\da-f])+/gi)) decodeURIComponent(bytes);
  } catch (error) {
    throw notUtf8(error);
  }
}
