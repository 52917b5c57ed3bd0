import { decodeParsed, decodeValue, type JsonSchema, MalformedValue, nativeBuilder } from "@cairnjs/ir";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { misfitText } from "cairnjs/host";
import type { LoadedVersion } from "./programs.ts";

const ISSUES_SHOWN_MAX = 5;

/** The control plane has none of the users' codecs, and needs none. */
const ANYTHING = Object.assign(nativeBuilder(), { codec: (_name: string, payload: unknown) => payload });

/** Compiled when first needed, and gone with the version. */
const validators = new WeakMap<object, ValidateFunction>();

function validatorOf(schema: JsonSchema & object): ValidateFunction {
  let found = validators.get(schema);
  if (found === undefined) {
    found = new Ajv2020({ strict: false, allErrors: false }).compile(schema);
    validators.set(schema, found);
  }
  return found;
}

/** Why a text that claims to be in the tagged encoding is not; null if it is. */
export function valueIssue(encoded: string): string | null {
  return issueBy(() => decodeValue(encoded, ANYTHING));
}

/** Undefined: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function issueBy(decode: () => unknown): string | null {
  try {
    decode();
    return null;
  } catch (error) {
    if (!(error instanceof MalformedValue)) throw error;
    return error.message;
  }
}

/** What is wrong with an input, for people; null if it fits. It is in the tagged encoding, or claims to be. */
export function inputIssues(
  { name, inputSchema }: Pick<LoadedVersion, "name" | "inputSchema">,
  encoded: string,
): string | null {
  const hasSchema = inputSchema !== null && typeof inputSchema === "object";
  // It may be large: it is read once.
  const value = hasSchema ? parsed(encoded) : undefined;
  const malformed = value === undefined ? valueIssue(encoded) : issueBy(() => decodeParsed(value, ANYTHING));
  if (malformed !== null) return `${name}: input is not a value: ${malformed}`;
  if (!hasSchema) return null;
  const validate = validatorOf(inputSchema);
  if (validate(value)) return null;
  // A validator tells of each member of a union, and of the encoding's tags.
  const told = misfitText(`${name}: input`, inputSchema, value);
  if (told !== null) return told;
  const issues = (validate.errors ?? []).slice(0, ISSUES_SHOWN_MAX);
  return `${name}: input${issues.map(({ instancePath, message }) => `${instancePath} ${message}`).join("; ")}`;
}
