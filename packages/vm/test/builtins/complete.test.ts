import { type Builtin, SEMANTICS, builtins } from "@cairnjs/ir";
import { expect, test } from "vitest";
import { hostTable } from "../../src/builtins/tables.ts";
import { VBuiltin, VGetter } from "../../src/heap/function.ts";
import { VObject, type Value } from "../../src/heap/value.ts";
import { preludeOf } from "../../src/prelude/preludes.ts";

const { realm } = preludeOf(SEMANTICS);

test("every entry of the list is carried out", () => {
  expect(builtins.flatMap(missing)).toEqual([]);
});

test("what the list says of how a built-in is carried out is so", () => {
  // It decides who makes objects primitive: the machine before a host function, the prelude for itself.
  const wrong = builtins.filter(({ path, how, sameAs }) => {
    const found = realm.intrinsics.get(path);
    if (!(found instanceof VBuiltin) || how === "machine" || sameAs !== "") return false;
    const { call, construct, prelude, constructPrelude } = found.implementation;
    const inPrelude = (call === null && prelude !== null) || (construct === null && constructPrelude !== null);
    return inPrelude !== (how === "prelude");
  });
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test("nothing is carried out that the list lacks", () => {
  const listed = new Set(builtins.map(({ path }) => path));
  expect(Object.keys(hostTable).filter((path) => !listed.has(path))).toEqual([]);
});

function missing(builtin: Builtin): string[] {
  const { path, kind } = builtin;
  switch (kind) {
    case "namespace":
    case "prototype":
      return realm.intrinsics.has(path) ? [] : [path];
    case "constant":
      return hostTable[path] !== undefined && "value" in hostTable[path] ? [] : [`${path}: value`];
    case "getter": {
      const getter = propertyAt(path);
      if (!(getter instanceof VGetter)) return [`${path}: get`];
      return builtin.settable && getter.set === null ? [`${path}: set`] : [];
    }
    default:
      return missingWays(builtin);
  }
}

function missingWays(builtin: Builtin): string[] {
  const { path, sameAs } = builtin;
  const found = path.includes(".") ? propertyAt(path) : realm.intrinsics.get(path);
  if (sameAs !== "") return found === realm.intrinsics.get(sameAs) ? [] : [`${path}: is not ${sameAs}`];
  // These two are the interpreter's own.
  if (path === "Function.prototype.call" || path === "Function.prototype.apply") return [];
  if (!(found instanceof VBuiltin)) return [path];
  const { call, construct, prelude, constructPrelude } = found.implementation;
  // Without a way to be called or constructed that V8 has, the program would see a TypeError of its own.
  return [
    ...(builtin.callable && call === null && prelude === null ? [`${path}: call`] : []),
    ...(builtin.constructible && construct === null && constructPrelude === null ? [`${path}: construct`] : []),
  ];
}

function propertyAt(path: string): Value {
  const dot = path.lastIndexOf(".");
  const owner = realm.intrinsics.get(path.slice(0, dot));
  return owner instanceof VObject ? owner.read(path.slice(dot + 1)) : undefined;
}
