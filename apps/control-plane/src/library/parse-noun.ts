import { EngineError } from "./engine-error.ts";

interface Schema<T> {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
        };
      };
}

/** What was given, if it is what it should be. Throws an EngineError that names what is not right with it, in one line. */
export function parseNoun<T>(schema: Schema<T>, subject: string, given: unknown): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  const place = path.length === 0 ? "" : ` ${path.map(String).join(".")}`;
  throw new EngineError("InvalidOption", `${subject}:${place} ${message}`);
}
