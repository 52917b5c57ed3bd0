/**
 * Writes src/builtins/v8-names.ts: own property names of Node 20's intrinsics, so that the VM can tell a name it
 * lacks from one that V8 lacks too. Symbols are left out, and what V8 itself does not define: Node's additions to
 * `console` that start with an underscore stay, since a program could read them.
 */
import { writeFileSync } from "node:fs";

if (!process.version.startsWith("v20."))
  throw new Error(`The names are those of Node 20, and this is ${process.version}`);

const CONSTRUCTORS = [
  "Array",
  "String",
  "Number",
  "Boolean",
  "BigInt",
  "Object",
  "Function",
  "Map",
  "Set",
  "Date",
  "RegExp",
  "Promise",
  "Error",
  "AggregateError",
  "EvalError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "TypeError",
  "URIError",
  "DOMException",
  "URL",
  "URLSearchParams",
  "Uint8Array",
  "TextEncoder",
  "TextDecoder",
];
const proto = Object.getPrototypeOf;
const objects = {};
for (const name of CONSTRUCTORS) {
  objects[name] = globalThis[name];
  objects[`${name}.prototype`] = globalThis[name].prototype;
}
objects["TypedArray"] = proto(Uint8Array);
objects["TypedArray.prototype"] = proto(Uint8Array.prototype);
objects["AsyncFunction.prototype"] = proto(async () => {});
objects["Iterator.prototype"] = proto(proto([].values()));
objects["Array Iterator.prototype"] = proto([].values());
objects["String Iterator.prototype"] = proto(""[Symbol.iterator]());
objects["RegExp String Iterator.prototype"] = proto("".matchAll(/./g));
objects["Map Iterator.prototype"] = proto(new Map().values());
objects["Set Iterator.prototype"] = proto(new Set().values());
objects["URLSearchParams Iterator.prototype"] = proto(new URLSearchParams().values());
for (const name of ["Math", "JSON", "console"]) objects[name] = globalThis[name];
// The methods of `crypto` are on its prototype, which programs cannot tell apart from the object itself.
objects["crypto"] = Object.assign(Object.create(null), Object.getOwnPropertyDescriptors(proto(crypto)));

const entries = Object.entries(objects).map(
  ([path, object]) =>
    `  ${JSON.stringify(path)}: ${JSON.stringify(Object.getOwnPropertyNames(object).join(" "))}.split(" "),`,
);
const globals = Object.getOwnPropertyNames(globalThis);
writeFileSync(
  new URL("../src/builtins/v8-names.ts", import.meta.url),
  `/** Made by scripts/generate-v8-names.mjs under Node 20. */
export const v8Names: Readonly<Record<string, readonly string[]>> = {
${entries.join("\n").replaceAll('"".split(" ")', "[]")}
};

export const v8Globals: readonly string[] = ${JSON.stringify(globals.join(" "))}.split(" ");
`,
);
