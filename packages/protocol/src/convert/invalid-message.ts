/** A message that says too little, or something that cannot be. */
export class InvalidMessage extends Error {
  readonly code = "InvalidMessage";
  /** Where in the message, by the names of the `.proto` files: `outcomes[3].call.run_id`. */
  readonly path: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path} ${problem}`, options);
    this.path = path;
  }

  static {
    Object.defineProperty(this.prototype, "name", { value: "InvalidMessage", configurable: true, writable: true });
  }
}

/** What is used of a Zod schema here. */
export interface FieldSchema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly { readonly message: string }[] } };
}

/** Path of a field; that of a frame itself is empty. */
function within(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** proto3 has no required fields: what was not said is a zero or an empty text, and may be a right value all the same. */
export function required<T>(schema: FieldSchema<T>, value: unknown, path: string, name: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const place = within(path, name);
  if (value === undefined || value === "" || value === 0) throw new InvalidMessage(place, "is missing");
  throw new InvalidMessage(place, parsed.error.issues[0]?.message ?? "is not valid");
}

/** Null for a field that was not said. */
export function optional<T>(schema: FieldSchema<T>, value: unknown, path: string, name: string): T | null {
  return value === undefined ? null : required(schema, value, path, name);
}

/** A part that must be there. */
export function present<T>(message: T | undefined, path: string): T {
  if (message === undefined) throw new InvalidMessage(path, "is missing");
  return message;
}

/** Each of a list of bounded length, told where it stands. */
export function eachOf<From, To>(
  list: readonly From[],
  lengthMax: number,
  path: string,
  name: string,
  convert: (item: From, path: string) => To,
): To[] {
  const place = within(path, name);
  if (list.length > lengthMax) throw new InvalidMessage(place, `must have at most ${lengthMax} items`);
  return list.map((item, index) => convert(item, `${place}[${index}]`));
}

/** Texts in a list. */
export function texts(
  schema: FieldSchema<string>,
  list: readonly string[],
  lengthMax: number,
  path: string,
  name: string,
): string[] {
  return eachOf(list, lengthMax, path, name, (item, place) => {
    const parsed = schema.safeParse(item);
    if (parsed.success) return parsed.data;
    throw new InvalidMessage(place, parsed.error.issues[0]?.message ?? "is not valid");
  });
}

/** Beyond what a number can hold exactly, it is refused by the schema of its field. */
export function numberOf(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
