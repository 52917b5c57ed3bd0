import type { ErrorCode } from "@cairnjs/schemas";
import type { ZodType } from "zod";
import type { JsonSchema } from "./json-schemas.ts";

/** What the schemas of a route do not say of it. */
export interface Operation {
  /** Stable: generated clients are made of it. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** What it may answer besides what all may, which the lists below say. */
  readonly problems?: readonly ErrorCode[];
  /** What its successes mean, where their status says too little. */
  readonly answers?: Readonly<Record<number, string>>;
  /** Under which it stands, if its path does not say it. */
  readonly tag?: string;
  /** Of an answer that is no JSON. */
  readonly contentType?: string;
  /** Of server-sent events: what each that is not `end` or `dropped` has as data. */
  readonly streams?: ZodType;
  /** Its successes are also pages, for those who accept `text/html`. */
  readonly hasPage?: true;
  /** What its body may be besides JSON. */
  readonly bodies?: Readonly<Record<string, JsonSchema>>;
  /** It asks the database for nothing but who asks. */
  readonly needsNoDatabase?: boolean;
  /** A body that is taken. */
  readonly example?: unknown;
}

/** Every route that asks who it is may answer these. */
export const ACCESS_PROBLEMS: readonly ErrorCode[] = ["Unauthenticated", "Forbidden", "WrongNamespace", "RateLimited"];
/** And if it asks the database, these. */
export const DATABASE_PROBLEMS: readonly ErrorCode[] = ["Closed", "Unavailable"];
/** And if it takes a body, these. */
export const BODY_PROBLEMS: readonly ErrorCode[] = ["PayloadTooLarge", "UnsupportedMediaType"];
