import type { JsonSchema, JsonSchemaObject } from "@cairnjs/ir";
import { nearestName } from "./did-you-mean.ts";
import { type Issue, issuesText, issueText } from "./issues.ts";
import { expectationOf, kindText } from "./json-schema-text.ts";

/** Deeper values are left to the control plane, which checks them too. */
const DEPTH_MAX = 200;
/** Checks of a part against a schema; unions in unions of recursive types could otherwise take for ever. */
const CHECKS_MAX = 1_000_000;

/** Of one value: nobody reads more. */
const ISSUES_MAX = 100;

/**
 * What is wrong with a value in the tagged encoding. Our own check and no library's, because it reports for people
 * what the encoding hides (`expected Date`, not `must have required property "$date"`), and picks from a union the
 * member that was meant. Keywords that the compiler does not write are ignored: there is never a false refusal.
 */
export function issuesByJsonSchema(schema: JsonSchema, encoded: unknown): readonly Issue[] {
  const found = new JsonSchemaCheck(schema).check(schema, encoded, []);
  return found.map(({ path, message }) => ({ path, message }));
}

/** The same in one line, for whoever has found by other means that it does not fit; null if nothing is found here. */
export function misfitText(subject: string, schema: JsonSchema, encoded: unknown): string | null {
  const issues = issuesByJsonSchema(schema, encoded);
  return issues.length === 0 ? null : issuesText(subject, issues, issueText);
}

type Path = readonly (string | number)[];

interface Found extends Issue {
  /** The value is of another kind altogether: not what is wrong with it, but that it is not meant. */
  readonly other?: true;
  /** Where it should have been a constant: which, and what it is. In a union these tell the members apart. */
  readonly constant?: { readonly expected: string; readonly given: string };
}

class JsonSchemaCheck {
  readonly #definitions: Readonly<Record<string, JsonSchema>>;
  #checks = 0;
  #depth = 0;

  constructor(root: JsonSchema) {
    this.#definitions = typeof root === "object" ? (root.$defs ?? {}) : {};
  }

  /** `escaped`: the value is the content of `$object`, where every key is the user's. */
  check(unresolved: JsonSchema, encoded: unknown, path: Path, escaped = false): readonly Found[] {
    const schema = this.#resolved(unresolved);
    const value = !escaped && isDefinition(encoded) ? encoded.$def[1] : encoded;
    if (schema === true || this.#depth === DEPTH_MAX || ++this.#checks > CHECKS_MAX) return [];
    if (schema === false) return [{ path, message: "not expected here" }];
    if (!fitsType(schema, value) || !fitsConstants(schema, value)) return [this.#unexpected(schema, value, path)];
    this.#depth += 1;
    const issues: Found[] = [];
    if (schema.anyOf !== undefined) issues.push(...this.#anyOf(schema, schema.anyOf, value, path));
    if (Array.isArray(value)) issues.push(...this.#array(schema, value, path));
    else if (isObject(value)) issues.push(...this.#object(schema, value, path, escaped));
    this.#depth -= 1;
    return issues;
  }

  #resolved(schema: JsonSchema): JsonSchema {
    let resolved = schema;
    // A chain of names is no longer than there are names.
    for (let left = Object.keys(this.#definitions).length + 1; left > 0; left--) {
      if (typeof resolved !== "object" || resolved.$ref === undefined) return resolved;
      resolved = this.#definitions[resolved.$ref.slice("#/$defs/".length)] ?? true;
    }
    return true;
  }

  #anyOf(schema: JsonSchemaObject, members: readonly JsonSchema[], value: unknown, path: Path): readonly Found[] {
    const tried: (readonly Found[])[] = [];
    for (const member of members) {
      const issues = this.check(member, value, path);
      if (issues.length === 0) return [];
      if (!isOtherForm(this.#resolved(member), value)) tried.push(issues);
    }
    const inside = tried.filter((issues) => !issues.some((each) => each.other && each.path.length === path.length));
    const meant = inside.length === 1 ? inside : inside.filter((issues) => !issues.some((each) => isMark(each, path)));
    const [first, ...more] = meant;
    if (first !== undefined) return more.reduce((least, each) => (each.length < least.length ? each : least), first);
    return [mergedMark(inside.flat(), path) ?? this.#unexpected(schema, value, path)];
  }

  #array(schema: JsonSchemaObject, value: readonly unknown[], path: Path): readonly Found[] {
    const { prefixItems = [], items = true, minItems = 0 } = schema;
    if (value.length < minItems) {
      return [
        { path, message: `expected at least ${minItems} element${minItems === 1 ? "" : "s"}, not ${value.length}` },
      ];
    }
    const issues: Found[] = [];
    for (const [index, element] of value.entries()) {
      issues.push(...this.check(prefixItems[index] ?? items, element, [...path, index]));
      if (issues.length >= ISSUES_MAX) break;
    }
    return issues;
  }

  #object(
    schema: JsonSchemaObject,
    value: Readonly<Record<string, unknown>>,
    path: Path,
    escaped: boolean,
  ): readonly Found[] {
    const { properties = {}, required = [] } = schema;
    // Tags are of the encoding and not of the value: people do not know them.
    const pathTo = (key: string): Path => (escaped || !key.startsWith("$") ? [...path, key] : path);
    const issues: Found[] = [];
    for (const key of required) {
      if (!Object.hasOwn(value, key)) issues.push({ path: pathTo(key), message: "missing" });
    }
    for (const [key, each] of Object.entries(value)) {
      if (issues.length >= ISSUES_MAX) break;
      for (const one of schemasOf(schema, key)) {
        if (one === false) issues.push({ path: pathTo(key), message: extraText(key, Object.keys(properties)) });
        else issues.push(...this.check(one, each, pathTo(key), !escaped && key === "$object"));
      }
    }
    return issues;
  }

  #unexpected(schema: JsonSchemaObject, value: unknown, path: Path): Found {
    const expected = expectationOf(schema, (member) => this.#resolved(member));
    const given = kindText(value);
    const isSameKind = expected.split(" or ").includes(given);
    const message = isSameKind ? "does not fit its type" : `expected ${expected}, not ${given}`;
    const found = { path, message, other: true } as const;
    return "const" in schema || "enum" in schema ? { ...found, constant: { expected, given } } : found;
  }
}

/** Of a property that says which member of a union the value is. */
function isMark({ path, constant }: Found, above: Path): boolean {
  return constant !== undefined && path.length === above.length + 1;
}

/** The value is of no member: what any of them would have had there. */
function mergedMark(issues: readonly Found[], above: Path): Found | undefined {
  const [first, ...others] = issues.filter((issue) => isMark(issue, above));
  if (first?.constant === undefined) return undefined;
  const same = others.filter((issue) => issue.path.at(-1) === first.path.at(-1));
  const expected = new Set([first, ...same].map((issue) => issue.constant?.expected));
  return { path: first.path, message: `expected ${[...expected].join(" or ")}, not ${first.constant.given}` };
}

function extraText(key: string, known: readonly string[]): string {
  const nearest = nearestName(key, known);
  return `there is no such property${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`;
}

/** What the value of a property must fit. */
function schemasOf(schema: JsonSchemaObject, key: string): readonly JsonSchema[] {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = schema;
  const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
  const schemas = own === undefined ? [] : [own];
  for (const [pattern, one] of Object.entries(patternProperties)) {
    if (new RegExp(pattern, "u").test(key)) schemas.push(one);
  }
  return schemas.length === 0 ? [additionalProperties] : schemas;
}

/** A shared object where it is written: wherever it may stand so, it may stand as it is. */
function isDefinition(value: unknown): value is { readonly $def: readonly [number, unknown] } {
  return isObject(value) && Array.isArray(value["$def"]);
}

/** Another tag than the value's, or one of the two has none: what is missing there is nothing that people know of. */
function isOtherForm(schema: JsonSchema, value: unknown): boolean {
  if (typeof schema === "boolean" || schema.type !== "object" || !isObject(value)) return false;
  return tagIn(schema.required ?? []) !== tagIn(Object.keys(value));
}

/** No other key begins with `$`: those of users are escaped. */
function tagIn([key]: readonly string[]): string | undefined {
  return key?.startsWith("$") === true ? key : undefined;
}

function fitsType({ type }: JsonSchemaObject, value: unknown): boolean {
  if (type === undefined) return true;
  const own = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const types: readonly string[] = typeof type === "string" ? [type] : type;
  return types.includes(own) || (own === "number" && Number.isInteger(value) && types.includes("integer"));
}

function fitsConstants(schema: JsonSchemaObject, value: unknown): boolean {
  if ("const" in schema && schema.const !== value) return false;
  return schema.enum === undefined || schema.enum.some((each) => each === value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
