import { encodeNative, type JsonSchema } from "@cairnjs/ir";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compile, type CompiledWorkflow } from "../../src/index.ts";

export interface DerivedSchema {
  readonly schema: JsonSchema;
  /** Whether the schema takes the encoding of a host value. */
  accepts(value: unknown): boolean;
  acceptsEncoded(encoded: unknown): boolean;
}

type Files = Readonly<Record<string, string>>;

/** The one workflow of a module. */
export function compileOne(module: string, files: Files = {}): CompiledWorkflow {
  const { workflows, diagnostics } = compile("main.ts", {
    resolve: (specifier) => (specifier.startsWith("./") ? specifier.slice(2) : null),
    read: (id) => {
      const source = id === "main.ts" ? module : files[id];
      if (source === undefined) throw new Error(`no file ${id}`);
      return source;
    },
  });
  const [workflow] = workflows;
  if (workflow === undefined || workflows.length > 1) throw new Error(JSON.stringify(diagnostics));
  return workflow;
}

/** What the compiler derives for `async (input: type) => …`, and a real validator for it; null when it derives nothing. */
export function schemaOf(type: string, declarations = "", files: Files = {}): DerivedSchema | null {
  const module = `import { workflow } from "cairnjs";\n${declarations}\nexport default workflow("w", async (input: ${type}) => 1);`;
  const { inputSchema } = compileOne(module, files);
  return inputSchema === null ? null : validatorOf(inputSchema);
}

export function validatorOf(schema: JsonSchema): DerivedSchema {
  // Without `ownProperties`, Ajv takes what objects inherit, such as `constructor`, for keys of the value.
  const ajv = new Ajv2020({ strict: true, strictTuples: false, allowUnionTypes: true, ownProperties: true });
  const validate = ajv.compile(schema);
  const acceptsEncoded = (encoded: unknown) => validate(encoded);
  return { schema, acceptsEncoded, accepts: (value) => acceptsEncoded(JSON.parse(encodeNative(value))) };
}
