import { type JsonScalar, type JsonSchema, type JsonSchemaObject, pairOf, tagged } from "@cairnjs/ir";
import { tagSchemas } from "./tags.ts";

/** No keyword of JSON Schema: the value may be `undefined` as well. */
export const MAY_BE_UNDEFINED = "cairn:undefined";

/** No keyword either: the value is one that JSON has no form of, and stands under this tag. */
export const TAG = "cairn:tag";

export type MarkedTag = "$bigint" | "$date" | "$map" | "$set";

/** As in the compiler's schemas: beyond these, what is left is `{}`, since validators follow references by recursion. */
const PARTS_MAX = 2000;
const DEPTH_MAX = 40;

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/**
 * A JSON Schema of values as plain JSON → one of the same values in the tagged encoding. It takes all that the given one
 * takes, and more: of its keywords those about the structure are kept, and what is not understood becomes `{}`. null if
 * nothing is left.
 */
export function taggedSchema(plain: unknown): JsonSchema | null {
  const writer = new TaggedSchemaWriter(plain);
  const schema = writer.write(plain);
  if (isAnything(schema)) return null;
  const { definitions } = writer;
  return { $schema: DIALECT, ...schema, ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }) };
}

type Table = Readonly<Record<string, unknown>>;

class TaggedSchemaWriter {
  readonly #root: unknown;
  readonly #definitions = new Map<string, JsonSchemaObject>();
  /** Names of definitions, by what was wished for and the schema that they were made of. */
  readonly #names = new Map<string, Map<unknown, string>>();
  /** Schemas that are being written, with nothing but alternatives around: one of them again would be a circle. */
  #open: readonly unknown[] = [];
  #parts = 0;
  #depth = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  get definitions(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(this.#definitions);
  }

  write(plain: unknown): JsonSchemaObject {
    const schema = this.#resolved(plain);
    this.#parts += 1;
    if (schema === null || this.#parts > PARTS_MAX || this.#depth === DEPTH_MAX) return {};
    if (this.#open.includes(schema)) return {};
    const outer = this.#open;
    this.#open = [...outer, schema];
    this.#depth += 1;
    const forms = this.#forms(schema);
    this.#depth -= 1;
    this.#open = outer;
    const mayBeUndefined = isMarked(schema) || isMarked(plain);
    const written = anyOf(mayBeUndefined ? [...forms, this.#tag("$undefined")] : forms);
    const { description } = schema;
    return typeof description === "string" && !isAnything(written) ? { description, ...written } : written;
  }

  /** What a chain of references leads to; null if that is nothing to go by. */
  #resolved(plain: unknown): Table | null {
    let schema = plain;
    for (let left = 64; left > 0; left--) {
      if (!isTable(schema)) return null;
      if (schema["$ref"] === undefined) return schema;
      schema = this.#at(schema["$ref"]);
    }
    return null;
  }

  #at(pointer: unknown): unknown {
    if (typeof pointer !== "string" || !pointer.startsWith("#")) return null;
    let at: unknown = this.#root;
    for (const escaped of pointer.split("/").slice(1)) {
      const key = decodeURIComponent(escaped).replaceAll("~1", "/").replaceAll("~0", "~");
      at = isTable(at) && Object.hasOwn(at, key) ? at[key] : null;
    }
    return at;
  }

  /** Alternatives, one of which the value must have; `{}` among them is anything. */
  #forms(schema: Table): readonly JsonSchemaObject[] {
    if (schema[TAG] !== undefined) return this.#marked(schema, schema[TAG] as MarkedTag);
    // "Exactly one of" is one of, and more.
    const members = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(members)) return members.map((member) => this.write(member));
    if ("const" in schema) return this.#constants([schema["const"]]);
    if (Array.isArray(schema["enum"])) return this.#constants(schema["enum"]);
    const { type } = schema;
    if (type === undefined && Array.isArray(schema["allOf"])) return this.#allOf(schema["allOf"]);
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    return types.flatMap((each) => this.#typed(each, schema));
  }

  #typed(type: unknown, schema: Table, key: unknown = schema): readonly JsonSchemaObject[] {
    switch (type) {
      case "string":
      case "boolean":
      case "null":
        return [{ type }];
      case "number":
      case "integer":
        return [{ type }, this.#tag("$number")];
      case "array":
        return [this.#identified(key, "array", () => this.#array(schema))];
      case "object":
        return [this.#identified(key, "object", () => this.#object(schema))];
      default:
        return [{}];
    }
  }

  /** What such an object holds is not looked at. An instance of a subclass, which has a codec, is taken too. */
  #marked(schema: Table, tag: MarkedTag): readonly JsonSchemaObject[] {
    if (tag === "$bigint") return [this.#tag(tag)];
    return [this.#identified(schema, `${tag.slice(1)}-object`, () => [this.#tag(tag), this.#tag("$codec")])];
  }

  #constants(values: readonly unknown[]): readonly JsonSchemaObject[] {
    if (!values.every(isScalar)) return [{}];
    const [only] = values;
    const plain = values.length === 1 && only !== undefined ? { const: only } : { enum: values };
    // Libraries do not tell 0 from -0.
    return values.includes(0) ? [plain, this.#tag("$number")] : [plain];
  }

  /** Objects that have the properties of all; what one of them says about others is not kept. */
  #allOf(members: readonly unknown[]): readonly JsonSchemaObject[] {
    const objects = members.map((member) => this.#resolved(member));
    const isPlain = objects.every((object) => object?.["type"] === "object" && !isMarked(object));
    if (!isPlain || members.some(isMarked)) return [{}];
    const properties = Object.assign({}, ...objects.map((object) => object?.["properties"])) as Table;
    const required = objects.flatMap((object) => namesIn(object?.["required"]));
    return this.#typed("object", { type: "object", properties, required }, members);
  }

  #array(schema: Table): readonly JsonSchemaObject[] {
    const { prefixItems: plainPrefix, items: plainItems, minItems } = schema;
    const prefixItems = Array.isArray(plainPrefix) ? plainPrefix.map((item) => this.write(item)) : [];
    const items = plainItems === false ? false : this.write(plainItems);
    const given = typeof minItems === "number" ? minItems : 0;
    const leftOut = prefixItems.length - (prefixItems.findLastIndex((item) => !this.#takesUndefined(item)) + 1);
    const least = Math.max(0, given <= prefixItems.length ? Math.min(given, prefixItems.length - leftOut) : given);
    const plain: JsonSchemaObject = {
      type: "array",
      ...(prefixItems.length === 0 ? {} : { prefixItems }),
      ...(items !== false && isAnything(items) ? {} : { items }),
      ...(least === 0 ? {} : { minItems: least }),
    };
    return [plain, this.#tag("$array")];
  }

  #object(schema: Table): readonly JsonSchemaObject[] {
    const shape = this.#shapeOf(schema);
    const { others } = shape;
    const escaped = [...shape.properties.keys()].filter((name) => name.startsWith("$"));
    const forms: JsonSchemaObject[] = [];
    if (!escaped.some((name) => shape.required.includes(name))) {
      const noTags = others === false ? {} : { patternProperties: { "^\\$": false } };
      const plain = shapeSchema(shape, (name) => !name.startsWith("$"));
      forms.push({ ...plain, ...noTags, additionalProperties: others });
    }
    if (escaped.length > 0 || others !== false) {
      forms.push(tagged("$object", { ...shapeSchema(shape, () => true), additionalProperties: others }));
    }
    forms.push(this.#tag("$instance"));
    // To some libraries an array is an object like any other.
    if (shape.required.every(isInArrays)) forms.push({ type: "array" }, this.#tag("$array"));
    return forms;
  }

  #shapeOf(schema: Table): Shape {
    const { properties: plain, additionalProperties, patternProperties } = schema;
    const listed = namesIn(schema["required"]);
    const properties = new Map<string, JsonSchemaObject>();
    for (const [name, each] of isTable(plain) ? Object.entries(plain) : []) {
      const written = this.write(each);
      const isOptional = !listed.includes(name) && !this.#takesUndefined(written);
      properties.set(name, isOptional ? anyOf([written, this.#tag("$undefined")]) : written);
    }
    // Inherited by every object, and libraries read it; as a name in a schema it is beyond most validators.
    const isOdd = properties.delete("__proto__") || patternProperties !== undefined;
    const required = listed.filter(
      (name) => !(name in Object.prototype) && !this.#takesUndefined(properties.get(name) ?? {}),
    );
    if (additionalProperties === false && !isOdd) return { properties, required, others: false };
    const others = isOdd || additionalProperties === undefined ? {} : this.write(additionalProperties);
    return { properties, required, others: isAnything(others) ? true : others };
  }

  #takesUndefined(written: JsonSchemaObject): boolean {
    if (isAnything(written)) return true;
    const { $ref, anyOf: members = [] } = written;
    if ($ref === `#/$defs/$undefined`) return true;
    return members.some((member) => typeof member === "object" && this.#takesUndefined(member));
  }

  /** Shared objects are written once, as `{"$def":[n,object]}`, and elsewhere as `{"$ref":n}`. */
  #identified(key: unknown, wish: string, write: () => readonly JsonSchemaObject[]): JsonSchemaObject {
    return this.#define(key, wish, (name) => {
      const outer = this.#open;
      this.#open = [];
      const forms = write();
      this.#open = outer;
      return { anyOf: [...forms, this.#tag("$ref"), tagged("$def", pairOf({ type: "integer" }, referenceTo(name)))] };
    });
  }

  #tag(name: keyof typeof tagSchemas): JsonSchemaObject {
    return this.#define(tagSchemas[name], name, () => tagSchemas[name]);
  }

  /** One definition for one thing: asked for again, also by itself while it is written, it is named. */
  #define(key: unknown, wish: string, write: (name: string) => JsonSchemaObject): JsonSchemaObject {
    const names = this.#names.get(wish) ?? new Map<unknown, string>();
    this.#names.set(wish, names);
    const known = names.get(key);
    if (known !== undefined) return referenceTo(known);
    const name = names.size === 0 ? wish : `${wish}-${names.size + 1}`;
    names.set(key, name);
    this.#definitions.set(name, {});
    this.#definitions.set(name, write(name));
    return referenceTo(name);
  }
}

interface Shape {
  readonly properties: ReadonlyMap<string, JsonSchemaObject>;
  readonly required: readonly string[];
  /** What other properties must be; false: there are none. */
  readonly others: JsonSchema;
}

function shapeSchema({ properties, required }: Shape, isKept: (name: string) => boolean): JsonSchemaObject {
  const kept = required.filter(isKept);
  return {
    type: "object",
    properties: Object.fromEntries([...properties].filter(([name]) => isKept(name))),
    ...(kept.length === 0 ? {} : { required: kept }),
  };
}

/** A property that an array may have: an element, its length, a method. */
function isInArrays(name: string): boolean {
  return name in Array.prototype || /^\d+$/.test(name);
}

function referenceTo(name: string): JsonSchemaObject {
  return { $ref: `#/$defs/${name}` };
}

function anyOf(forms: readonly JsonSchemaObject[]): JsonSchemaObject {
  const [only] = forms;
  if (only !== undefined && forms.length === 1) return only;
  // None at all would be a schema that validators refuse.
  return forms.length === 0 || forms.some(isAnything) ? {} : { anyOf: forms };
}

function isAnything(schema: JsonSchemaObject): boolean {
  return Object.keys(schema).every((key) => key === "description");
}

function isMarked(schema: unknown): boolean {
  return isTable(schema) && schema[MAY_BE_UNDEFINED] === true;
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is JsonScalar {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}
