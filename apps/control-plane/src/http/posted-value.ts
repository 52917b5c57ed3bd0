import type { FastifyInstance } from "fastify";
import { Refused } from "../hub/refused.ts";

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
  scope.addContentTypeParser(JSON_TYPES, { parseAs: "string" }, (request, body: string, done) => {
    if (body === "") return done(null, new Posted(undefined));
    return parseJson(request, body, (error, value) => done(error, new Posted(value)));
  });
  scope.addContentTypeParser(
    FORM_TYPE,
    { parseAs: "string" },
    async (_: unknown, body: string) => new Posted(formOf(body)),
  );
  scope.addContentTypeParser(
    "text/plain",
    { parseAs: "string" },
    async (_: unknown, body: string) => new Posted(body === "" ? undefined : body),
  );
  scope.addContentTypeParser("*", async () => {
    throw new Refused("UnsupportedMediaType", "The body is JSON, a form, a text (text/plain) or nothing");
  });
}

/** A text for each name; of one that comes several times, all of them. */
function formOf(body: string): object | undefined {
  if (body === "") return undefined;
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
