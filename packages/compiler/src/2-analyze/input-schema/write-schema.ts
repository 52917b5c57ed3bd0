import { type JsonSchema, type JsonSchemaObject, pairOf, tagged } from "@cairnjs/ir";
import {
  isCircular,
  membersOf,
  resolved,
  simple,
  unionOf,
  type InputType,
  type LiteralType,
  type NamedType,
  type ObjectType,
  type SimpleType,
  type TupleType,
  type UnionMember,
} from "./input-type.ts";
import { literalForms } from "./literal-forms.ts";
import { instanceSchemas, tagSchemas } from "./tags.ts";

/**
 * Beyond these, what is left of a type is written as `{}`: a type can be larger than any check is worth, and
 * validators follow references by recursion (at 200 levels Ajv ran out of stack).
 */
const PARTS_MAX = 2000;
const DEPTH_MAX = 40;

/**
 * Writes the schema of a type's values in their tagged encoding. An object may be shared, and is then written as
 * `{"$def":[n,object]}` once and as `{"$ref":n}` elsewhere. So whatever has identity becomes a definition that allows
 * for both and names itself as the content of `$def`: an object that is shared is checked like any other.
 */
export class SchemaWriter {
  readonly #definitions = new Map<string, JsonSchema>();
  readonly #names = new Map<object, string>();
  #parts = 0;
  #depth = 0;

  get definitions(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(this.#definitions);
  }

  /** `path`: what a definition is called whose type has no name. */
  write(type: InputType, path: string): JsonSchemaObject {
    this.#parts += 1;
    if (this.#parts > PARTS_MAX || this.#depth === DEPTH_MAX) return {};
    this.#depth += 1;
    const schema = anyOf(this.#forms(type, path));
    this.#depth -= 1;
    return schema;
  }

  #forms(type: InputType, path: string): JsonSchemaObject[] {
    switch (type.kind) {
      case "named":
        return [this.#named(type)];
      case "union":
        return this.#union(type.members, path);
      case "literal":
        return literalForms([type]);
      case "object":
      case "array":
      case "tuple":
      case "map":
      case "set":
        return [this.#define(type, path, (name) => this.#shared(name, this.#contents(type, name)))];
      default:
        return this.#simple(type.kind);
    }
  }

  #named(type: NamedType): JsonSchemaObject {
    if (isCircular(type) || resolved(type).kind === "opaque") return {};
    return this.#define(type, type.name, (name) => {
      const definition = type.definition();
      const schema = hasContents(definition)
        ? this.#shared(name, this.#contents(definition, name))
        : this.write(definition, `${name}.value`);
      return type.description === null ? schema : { description: type.description, ...schema };
    });
  }

  #union(members: readonly InputType[], path: string): JsonSchemaObject[] {
    const literals = members.filter((member): member is LiteralType => member.kind === "literal");
    const others = members.filter(({ kind }) => kind !== "literal");
    return [...literalForms(literals), ...others.flatMap((member) => this.#forms(member, path))];
  }

  #simple(kind: SimpleType["kind"]): JsonSchemaObject[] {
    switch (kind) {
      case "opaque":
      case "any":
      case "unknown":
        return [{}];
      case "never":
        return [];
      case "nonPrimitive":
        return [{ type: ["object", "array"] }];
      case "number":
        return [{ type: "number" }, this.#tag("$number")];
      case "bigint":
      case "undefined":
        return [this.#tag(`$${kind}`)];
      case "string":
      case "boolean":
      case "null":
        return [{ type: kind }];
      default: {
        const schema = instanceSchemas[kind];
        return [this.#define(schema, `$${kind}`, (name) => this.#shared(name, [schema]))];
      }
    }
  }

  #contents(type: Contents, path: string): JsonSchemaObject[] {
    switch (type.kind) {
      case "object":
        return this.#object(type, path);
      case "array":
        return [{ type: "array", items: this.write(type.element, `${path}.item`) }, this.#tag("$array")];
      case "tuple":
        return [this.#tuple(type, path), this.#tag("$array")];
      case "map": {
        const entry = pairOf(this.write(type.key, `${path}.key`), this.write(type.value, `${path}.value`));
        return [tagged("$map", { type: "array", items: entry })];
      }
      case "set":
        return [tagged("$set", { type: "array", items: this.write(type.member, `${path}.member`) })];
    }
  }

  /** Keys that begin with `$` are never seen in a plain object: one that has any is written as `$object`. */
  #object({ properties, index, isOpen }: ObjectType, path: string): JsonSchemaObject[] {
    const written = [...properties].map(([name, { type, isOptional, description }]): WrittenProperty => {
      const whole = isOptional ? unionOf([type, simple.undefined]) : type;
      const schema = this.write(whole, `${path}.${name}`);
      return {
        name,
        schema: description === null ? schema : { description, ...schema },
        // Who reads a property that may be undefined cannot tell whether it is there, and JSON cannot write it.
        isRequired: !isOptional && !membersOf(type).some(({ kind }) => kind === "undefined"),
      };
    });
    const others = index === null ? isOpen : this.write(index, `${path}.value`);
    const escaped = written.filter(({ name }) => name.startsWith("$"));
    const forms: JsonSchemaObject[] = [];
    if (!escaped.some(({ isRequired }) => isRequired)) {
      const plain = shapeOf(written.filter(({ name }) => !name.startsWith("$")));
      const noTags = others === false ? {} : { patternProperties: { "^\\$": false } };
      forms.push({ ...plain, ...noTags, additionalProperties: others });
    }
    if (escaped.length > 0 || others !== false) {
      forms.push(tagged("$object", { ...shapeOf(written), additionalProperties: others }));
    }
    return [...forms, isOpen ? this.#tag("$other") : this.#tag("$codec")];
  }

  #tuple({ elements, required, rest }: TupleType, path: string): JsonSchemaObject {
    const prefixItems = elements.map((element, index) => this.write(element, `${path}.${index}`));
    return {
      type: "array",
      ...(prefixItems.length === 0 ? {} : { prefixItems }),
      items: rest === null ? false : this.write(rest, `${path}.rest`),
      minItems: required,
    };
  }

  #shared(name: string, forms: readonly JsonSchemaObject[]): JsonSchemaObject {
    const definition = tagged("$def", pairOf({ type: "integer" }, referenceTo(name)));
    return { anyOf: [...forms, this.#tag("$ref"), definition] };
  }

  #tag(name: keyof typeof tagSchemas): JsonSchemaObject {
    return this.#define(tagSchemas[name], name, () => tagSchemas[name]);
  }

  /** One definition for one thing: asked for again, also by itself while it is written, it is named. */
  #define(key: object, wish: string, write: (name: string) => JsonSchemaObject): JsonSchemaObject {
    const known = this.#names.get(key);
    if (known !== undefined) return referenceTo(known);
    const name = this.#freeName(wish);
    this.#names.set(key, name);
    this.#definitions.set(name, {});
    this.#definitions.set(name, write(name));
    return referenceTo(name);
  }

  #freeName(wish: string): string {
    const base = wish.replaceAll(/[^\w.$-]/g, "_").slice(0, NAME_MAX);
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? base : `${base}-${number}`;
      if (!this.#definitions.has(name)) return name;
    }
  }
}

const NAME_MAX = 80;

interface WrittenProperty {
  readonly name: string;
  readonly schema: JsonSchemaObject;
  readonly isRequired: boolean;
}

function shapeOf(written: readonly WrittenProperty[]): JsonSchemaObject {
  const required = written.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(written.map(({ name, schema }) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
  };
}

type Contents = Extract<UnionMember, { kind: "object" | "array" | "tuple" | "map" | "set" }>;

function hasContents(type: InputType): type is Contents {
  return ["object", "array", "tuple", "map", "set"].includes(type.kind);
}

function referenceTo(name: string): JsonSchemaObject {
  return { $ref: `#/$defs/${name}` };
}

function anyOf(forms: readonly JsonSchemaObject[]): JsonSchemaObject {
  const [only] = forms;
  if (only !== undefined && forms.length === 1) return only;
  if (forms.some((form) => Object.keys(form).length === 0)) return {};
  return { anyOf: forms };
}
