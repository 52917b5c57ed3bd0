import { nearestName } from "./did-you-mean.ts";
import type { Issue } from "./issues.ts";
import type { JsonSchema, JsonSchemaObject } from "./json-schema.ts";
import { expectationOf, kindText } from "./json-schema-text.ts";

/** Deeper values are left to the control plane, which checks them too. */
const DEPTH_MAX = 200;
/** Checks of a part against a schema; unions in unions of recursive types could otherwise take for ever. */
const CHECKS_MAX = 1_000_000;

/**
 * What is wrong with a value in the tagged encoding. Our own check and no library's, because it reports for people
 * what the encoding hides (`expected Date`, not `must have required property "$date"`), and picks from a union the
 * member that was meant. Keywords that the compiler does not write are ignored: there is never a false refusal.
 */
export function issuesByJsonSchema(schema: JsonSchema, encoded: unknown): readonly Issue[] {
  return new JsonSchemaCheck(schema).check(schema, encoded, []);
}

type Path = readonly (string | number)[];

class JsonSchemaCheck {
  readonly #definitions: Readonly<Record<string, JsonSchema>>;
  #checks = 0;

  constructor(root: JsonSchema) {
    this.#definitions = typeof root === "object" ? (root.$defs ?? {}) : {};
  }

  check(unresolved: JsonSchema, value: unknown, path: Path): readonly Issue[] {
    const schema = this.#resolved(unresolved);
    if (schema === true || path.length > DEPTH_MAX || ++this.#checks > CHECKS_MAX) return [];
    if (schema === false) return [{ path, message: "not expected here" }];
    if (!fitsType(schema, value) || !fitsConstants(schema, value)) return [this.#unexpected(schema, value, path)];
    const issues: Issue[] = [];
    if (schema.anyOf !== undefined) issues.push(...this.#anyOf(schema, schema.anyOf, value, path));
    if (Array.isArray(value)) issues.push(...this.#array(schema, value, path));
    else if (isObject(value)) issues.push(...this.#object(schema, value, path));
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

  #anyOf(schema: JsonSchemaObject, members: readonly JsonSchema[], value: unknown, path: Path): readonly Issue[] {
    const candidates: (readonly Issue[])[] = [];
    for (const member of members) {
      const issues = this.check(member, value, path);
      if (issues.length === 0) return [];
      if (this.#isMeant(member, value, issues, path)) candidates.push(issues);
    }
    const [first = [this.#unexpected(schema, value, path)], ...others] = candidates;
    if (others.length === 0) return first;
    return candidates.reduce((fewest, issues) => (issues.length < fewest.length ? issues : fewest));
  }

  /** Whether the value is of this member's kind at least: then what is wrong inside is worth telling. */
  #isMeant(member: JsonSchema, value: unknown, issues: readonly Issue[], path: Path): boolean {
    const schema = this.#resolved(member);
    if (typeof schema !== "object" || isTagged(schema, value)) return false;
    const atRoot = issues.some((issue) => issue.path.length === path.length);
    return !atRoot && issues.every((issue) => !this.#isDiscriminator(schema, issue, path));
  }

  /** A property that tells the members of a union apart: it is one constant. */
  #isDiscriminator(schema: JsonSchemaObject, issue: Issue, path: Path): boolean {
    if (issue.path.length !== path.length + 1) return false;
    const property = schema.properties?.[String(issue.path.at(-1))];
    const resolved = property === undefined ? undefined : this.#resolved(property);
    return typeof resolved === "object" && "const" in resolved;
  }

  #array(schema: JsonSchemaObject, value: readonly unknown[], path: Path): readonly Issue[] {
    const { prefixItems = [], items = true, minItems = 0 } = schema;
    if (value.length < minItems) {
      return [{ path, message: `expected at least ${minItems} elements, not ${value.length}` }];
    }
    return value.flatMap((element, index) => this.check(prefixItems[index] ?? items, element, [...path, index]));
  }

  #object(schema: JsonSchemaObject, value: Readonly<Record<string, unknown>>, path: Path): readonly Issue[] {
    const { properties = {}, required = [], patternProperties = {}, additionalProperties = true } = schema;
    const issues: Issue[] = [];
    for (const key of required) {
      if (!Object.hasOwn(value, key)) issues.push({ path: pathTo(path, key), message: "missing" });
    }
    for (const [key, each] of Object.entries(value)) {
      const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
      const patterns = Object.keys(patternProperties).filter((pattern) => new RegExp(pattern, "u").test(key));
      const schemas = [own, ...patterns.map((pattern) => patternProperties[pattern])].filter(isSchema);
      if (schemas.length === 0) schemas.push(additionalProperties);
      for (const one of schemas) {
        if (one === false) issues.push({ path: pathTo(path, key), message: extraText(key, Object.keys(properties)) });
        else issues.push(...this.check(one, each, pathTo(path, key)));
      }
    }
    return issues;
  }

  #unexpected(schema: JsonSchemaObject, value: unknown, path: Path): Issue {
    const expected = expectationOf(schema, (member) => this.#resolved(member));
    return { path, message: `expected ${expected}, not ${kindText(value)}` };
  }
}

function extraText(key: string, known: readonly string[]): string {
  const nearest = nearestName(key, known);
  return `there is no such property${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`;
}

/** Tags are of the encoding and not of the value: people do not know them. */
function pathTo(path: Path, key: string): Path {
  return key.startsWith("$") ? path : [...path, key];
}

/** Another form of the value than the one that is there: a schema of a tag, and a value without. */
function isTagged({ required = [] }: JsonSchemaObject, value: unknown): boolean {
  const [tag] = required;
  return required.length === 1 && tag?.startsWith("$") === true && !(isObject(value) && Object.hasOwn(value, tag));
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

function isSchema(value: JsonSchema | undefined): value is JsonSchema {
  return value !== undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
