import { describe, expect, test } from "vitest";
import type { Builtin } from "./builtin.ts";
import { builtinAt, builtins, globalNames, isBuiltin, isV8Global, v8NamesOf } from "./list.ts";

const onNode20 = process.version.startsWith("v20.");

const prototypeOf = (value: unknown): unknown => Object.getPrototypeOf(value);
const roots: Record<string, unknown> = {
  TypedArray: prototypeOf(Uint8Array),
  "Iterator.prototype": prototypeOf(prototypeOf([].values())),
  "AsyncFunction.prototype": prototypeOf(async () => {}),
  "Array Iterator.prototype": prototypeOf([].values()),
  "String Iterator.prototype": prototypeOf(""[Symbol.iterator]()),
  "RegExp String Iterator.prototype": prototypeOf("".matchAll(/./g)),
  "Map Iterator.prototype": prototypeOf(new Map().values()),
  "Set Iterator.prototype": prototypeOf(new Set().values()),
  "URLSearchParams Iterator.prototype": prototypeOf(new URLSearchParams().values()),
};

/** The native object at a path of the list, found without running any getter. */
function descriptorAt(path: string): PropertyDescriptor | undefined {
  if (path in roots) return { value: roots[path] };
  const dot = path.lastIndexOf(".");
  // Node defines many globals as getters that load them.
  if (dot < 0) return { value: (globalThis as Record<string, unknown>)[path] };
  const owner: unknown = descriptorAt(path.slice(0, dot))?.value;
  for (let at = owner; at !== null && at !== undefined; at = prototypeOf(at)) {
    const own = Object.getOwnPropertyDescriptor(at, path.slice(dot + 1));
    if (own !== undefined) return own;
    if (path.slice(0, dot) !== "crypto") return undefined;
  }
  return undefined;
}

const native = builtins.filter((builtin) => builtin.path !== "cairn" && !builtin.path.startsWith("cairn."));

describe.runIf(onNode20)("against Node 20", () => {
  test("every entry exists, is of its kind, and has V8's length and name", () => {
    const wrong = native.flatMap((builtin) => problemsOf(builtin).map((problem) => `${builtin.path}: ${problem}`));
    expect(wrong).toEqual([]);
  });

  test("what V8 has and the list lacks is exactly what is left out on purpose", () => {
    const missing = native
      .filter(({ kind }) => kind === "constructor" || kind === "prototype" || kind === "namespace")
      .flatMap(({ path }) => v8NamesOf(path).map((name) => `${path}.${name}`))
      .filter((path) => !isBuiltin(path));
    expect(missing.filter((path) => !LEFT_OUT.some((pattern) => pattern.test(path)))).toEqual([]);
    expect(LEFT_OUT.filter((pattern) => !missing.some((path) => pattern.test(path)))).toEqual([]);
  });

  test("prototypes and constructors inherit as in V8", () => {
    const wrong = native.filter(({ kind, path, parent }) => {
      if (kind !== "constructor" && kind !== "prototype") return false;
      if (path === "Object.prototype") return false;
      const usual = kind === "constructor" ? "Function.prototype" : "Object.prototype";
      return prototypeOf(descriptorAt(path)?.value) !== descriptorAt(parent === "" ? usual : parent)?.value;
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

function problemsOf(builtin: Builtin): string[] {
  const found = descriptorAt(builtin.path);
  if (found === undefined) return ["does not exist"];
  if (builtin.kind === "getter") {
    return [
      ...(found.get === undefined ? ["is no getter"] : []),
      ...((found.set !== undefined) === builtin.settable ? [] : ["settable"]),
    ];
  }
  const value = found.value as unknown;
  if (builtin.sameAs !== "") return value === descriptorAt(builtin.sameAs)?.value ? [] : [`is not ${builtin.sameAs}`];
  if (builtin.kind === "function" || builtin.kind === "constructor") {
    if (typeof value !== "function") return ["is no function"];
    return [
      ...(value.length === builtin.length || builtin.path.startsWith("console.")
        ? []
        : [`length ${value.length}, listed ${builtin.length}`]),
      ...(value.name === builtin.path.split(".").at(-1) ? [] : [`name ${value.name}`]),
      // Node's own functions (`atob`, `console.log`) are plain ones that nobody constructs.
      ...(builtin.kind === "function" || isConstructor(value) === builtin.constructible ? [] : ["constructible"]),
    ];
  }
  if (builtin.kind === "constant") return typeof value === "object" ? ["is an object"] : [];
  return (typeof value === "object" && value !== null) || value === Function.prototype ? [] : ["is no object"];
}

function isConstructor(value: object): boolean {
  if (value === BigInt) return false;
  try {
    Reflect.construct(Object, [], value as () => void);
    return true;
  } catch {
    return false;
  }
}

const LEFT_OUT = [
  /\.toLocale\w+$/,
  /^String\.prototype\.localeCompare$/,
  /^Object\.(getOwnPropertySymbols|setPrototypeOf)$/,
  /^Object\.prototype\.__\w+__$/,
  /^Function\.prototype\.(toString|arguments|caller)$/,
  /^AsyncFunction\.prototype\.constructor$/,
  /^RegExp\.(input|lastMatch|lastParen|leftContext|rightContext|\$.)$/,
  /^RegExp\.prototype\.compile$/,
  /^Error\.(captureStackTrace|prepareStackTrace|stackTraceLimit)$/,
  /^DOMException\.(prototype\.)?[A-Z_]+_ERR$/,
  /^URL\.(parse|createObjectURL|revokeObjectURL)$/,
  /^TypedArray\.prototype\.buffer$/,
  /^console\.(_\w+|Console|clear|context|count|countReset|createTask|dirxml|profile|profileEnd)$/,
  /^console\.(time|timeEnd|timeLog|timeStamp)$/,
  /^crypto\.(getRandomValues|subtle)$/,
];

describe("the list", () => {
  test("knows what is inherited", () => {
    expect(isBuiltin("Uint8Array.from")).toBe(true);
    expect(isBuiltin("Math.hasOwnProperty")).toBe(true);
    expect(isBuiltin("Array.name")).toBe(true);
    expect(isBuiltin("Array.prototype.constructor")).toBe(true);
    expect(isBuiltin("Array.toString")).toBe(false);
    expect(isBuiltin("Math.cubeRoot")).toBe(false);
    expect(isBuiltin("Symbol")).toBe(false);
    expect(isBuiltin("Object.prototype.nothing")).toBe(false);
  });

  test("tells hints for host functions, with nothing asked of further arguments", () => {
    expect(builtinAt("String.prototype.padEnd")?.coerce).toBe("sns-");
    expect(builtinAt("Math.max")?.coerce).toBe("-n");
    expect(builtinAt("Array.prototype.splice")?.coerce).toBe("-nn-");
    expect(builtinAt("Array.prototype.map")?.coerce).toBe("-");
    expect(builtinAt("URL.prototype.href")?.coerce).toBe("-s-");
    expect(builtinAt("String.prototype.trim")?.coerce).toBe("s-");
  });

  test("has no global that V8 lacks", () => {
    expect(globalNames.filter((name) => !isV8Global(name))).toEqual([]);
    expect(globalNames).not.toContain("TypedArray");
  });
});
