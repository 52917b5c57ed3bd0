/** The value cannot be stored; `path` leads to the culprit. The caller should pass something else. */
export class NotStorable extends Error {
  readonly path: string;
  readonly reason: NotStorableReason;

  constructor(path: string, culprit: Unstorable) {
    super(`${path === "" ? "The value" : path} cannot be stored: ${culprit.what}. ${culprit.advice}`, culprit.options);
    this.path = path;
    this.reason = culprit.reason;
  }

  // On the prototype, so that it survives minifying and is no own property to be stored.
  static {
    Object.defineProperty(this.prototype, "name", {
      value: "NotStorable",
      configurable: true,
      writable: true,
    });
  }
}

export type NotStorableReason = keyof typeof CULPRITS;

export interface Unstorable {
  readonly reason: NotStorableReason;
  readonly what: string;
  readonly advice: string;
  /** What is added to the path of the object asked about, when the culprit is a property of it. */
  readonly at: string;
  readonly options: ErrorOptions | undefined;
}

/** `subject` names the culprit: a class, a function, a codec, a message. */
export function unstorable(
  reason: NotStorableReason,
  subject = "",
  { at = "", options, advice }: { at?: string; options?: ErrorOptions; advice?: string | undefined } = {},
): Unstorable {
  const [what, general] = CULPRITS[reason];
  return { reason, what: what(subject), advice: advice ?? general, at, options };
}

/** What to do with an instance of a class, where more can be said than of any. */
export function classAdvice(className: string, hasMethods: boolean): string | undefined {
  if (Object.hasOwn(HOST_CLASSES, className)) return HOST_CLASSES[className];
  return hasMethods
    ? "Pass a plain object, or register a codec for the class. A client or a connection is what an action needs: " +
        "`needs: { db: depends(getDb) }` in its options."
    : undefined;
}

/** Only host code has instances of these, so that no program sees what is said of them. */
const HOST_CLASSES: Readonly<Record<string, string>> = {
  Response: "Read it where it was received, and give what was read: `return await response.json()`, or `.text()`.",
  Blob: "Give its bytes: `new Uint8Array(await blob.arrayBuffer())`.",
  Headers: "Give an object: `Object.fromEntries(headers)`.",
  FormData: "Give an object: `Object.fromEntries(formData)`.",
};

const CULPRITS = {
  function: [
    (name: string) => (name === "" ? "it is a function" : `it is the function ${name}`),
    "Pass data, and call the function where it is defined.",
  ],
  symbol: [(name: string) => `it is the symbol ${name}`, "Use a string."],
  "symbol-key": [
    (name: string) => `it is a property whose key is the symbol ${name}`,
    "Use a string as key, or remove the property before passing the object.",
  ],
  promise: [() => "it is a promise", "Await it first."],
  iterator: [() => "it is an iterator", "Pass its items as an array: [...iterator]."],
  stream: [
    (name: string) => `it is a stream${name === "" ? "" : `, an instance of ${name}`}`,
    "Open it in the action that reads it, and pass what it is opened by: a path, a URL, the bytes.",
  ],
  regexp: [() => "it is a regular expression", "Pass its source as a string."],
  weak: [(name: string) => `it is a ${name}`, "Use a Map or a Set."],
  "typed-array": [(name: string) => `it is of type ${name}`, "Use a Uint8Array, or an array of numbers."],
  class: [
    (name: string) => `it is an instance of ${name === "" ? "a class" : `the class ${name}`} without a codec`,
    "Pass a plain object, or register a codec for the class.",
  ],
  "extra-property": [
    (name: string) => `it is an own property of a ${name}, and only the content of one is stored`,
    "Pass it beside the object.",
  ],
  "codec-cycle": [
    (name: string) => `what the codec ${name} makes of a value leads back to that value`,
    "Make the codec leave out the way back.",
  ],
  bigint: [(limit: string) => `it is a bigint of more than ${limit} digits`, "Pass its digits as bytes."],
  threw: [(message: string) => `reading it threw ${message}`, "Pass plain data."],
  "too-large": [(limit: string) => `the value is larger than ${limit}`, "Pass a reference to the data instead."],
} as const satisfies Record<string, readonly [(subject: string) => string, string]>;
