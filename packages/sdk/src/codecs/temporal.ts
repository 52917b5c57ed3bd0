import { putCodec } from "../codec.ts";

/** What is used of a class of Temporal. */
interface TemporalClass {
  from(text: string): unknown;
}

/** Of a time that was stored, the instant is what counts, though the rules of its zone may have changed since. */
interface ZonedClass {
  from(text: string, options: { readonly offset: "use" }): unknown;
}

const CLASSES = [
  "Duration",
  "Instant",
  "PlainDate",
  "PlainDateTime",
  "PlainMonthDay",
  "PlainTime",
  "PlainYearMonth",
] as const;

/** Temporal of the language itself, or of a polyfill. */
export type TemporalNamespace = Readonly<Record<(typeof CLASSES)[number], TemporalClass>> & {
  readonly ZonedDateTime: ZonedClass;
};

/**
 * Says which Temporal stored values come back as, where there are several. Without it: the global one, else
 * temporal-polyfill's, else @js-temporal/polyfill's.
 */
export function useTemporal(temporal: TemporalNamespace): void {
  for (const name of CLASSES) put(name, temporal[name], (text) => temporal[name].from(text));
  const { ZonedDateTime } = temporal;
  put("ZonedDateTime", ZonedDateTime, (text) => ZonedDateTime.from(text, { offset: "use" }));
}

function put(className: string, type: object, decode: (text: string) => unknown): void {
  const name = `Temporal.${className}`;
  putCodec({
    name,
    type,
    // By brand: values of every implementation can be stored.
    matches: (value) => Object.prototype.toString.call(value) === `[object ${name}]`,
    encode: String,
    decode: (text) => decode(text as string),
  });
}

async function findTemporal(): Promise<TemporalNamespace> {
  const { Temporal } = globalThis as { Temporal?: TemporalNamespace };
  // Written out, so that bundlers see them.
  const found =
    Temporal ??
    (await import("temporal-polyfill").catch(nothing))?.Temporal ??
    (await import("@js-temporal/polyfill").catch(nothing))?.Temporal;
  if (found === undefined) {
    throw new Error("cairnjs/codecs/temporal finds no Temporal. Install temporal-polyfill or @js-temporal/polyfill.");
  }
  return found;
}

function nothing(): undefined {
  return undefined;
}

useTemporal(await findTemporal());
