import { expect, test } from "vitest";
import { runNatively, runOnMachine } from "./run-body.ts";

/** Each body logs the same natively and on the machine. */
const bodies: Record<string, string> = {
  "callbacks get item, index and array, and skip holes": `
    const list = [1, , 3, undefined, 5];
    for (const method of ["forEach", "map", "filter", "every", "some", "find", "findIndex", "findLast", "findLastIndex", "flatMap"]) {
      const seen = [];
      const result = list[method]((item, index, array) => {
        seen.push([item, index, array === list]);
        return method === "every" ? true : method === "flatMap" ? [item, , [item]] : index % 2 === 0 && method !== "some" && !method.startsWith("find");
      });
      log(method, seen, result);
    }
    for (const method of ["reduce", "reduceRight"]) {
      const seen = [];
      log(method, list[method]((total, item, index, array) => { seen.push([total, item, index, array === list]); return index; }), seen);
      log(method, list[method]((total, item) => total + String(item), "start"));
      log(method, [][method]((a) => a, undefined), [7][method](() => 1), [, 7, ,][method](() => 1));
      attempt(() => [][method]((a) => a));
      attempt(() => [, ,][method]((a) => a));
    }
  `,
  "callbacks may change the array under way": `
    for (const method of ["forEach", "map", "filter", "every", "some", "find", "findIndex", "findLast", "findLastIndex", "flatMap", "reduce", "reduceRight"]) {
      for (const change of ["push", "pop", "delete", "clear", "set", "shift", "grow"]) {
        const list = [1, 2, 3, 4, 5];
        const seen = [];
        const result = list[method]((...args) => {
          const offset = method.startsWith("reduce") ? 1 : 0;
          seen.push(args[offset], args[offset + 1]);
          if (seen.length === 4) {
            if (change === "push") list.push(99);
            if (change === "pop") list.pop();
            if (change === "delete") delete list[3];
            if (change === "clear") list.length = 0;
            if (change === "set") list[3] = "set";
            if (change === "shift") list.shift();
            if (change === "grow") list[9] = 9;
          }
          return method === "every";
        });
        log(method, change, seen, result, list);
      }
    }
  `,
  "thisArg reaches methods, arrows ignore it": `
    const target = { factor: 3, times(item) { return this.factor * item; }, own(item) { return this === undefined ? "none" : this.factor; } };
    const bare = target.own;
    log([1, 2].map(target.times, { factor: 10 }), [1].map(bare), [1].map(bare, { factor: 4 }));
    log(Array.from([1, 2], target.times, { factor: 5 }), [3].flatMap(target.times, target), [3].find(target.own, target));
  `,
  "array-like objects": `
    const like = { length: 3, 0: "a", 2: "c" };
    const P = Array.prototype;
    log(P.map.call(like, (item, index) => item + index), P.filter.call(like, () => true), P.join.call(like, "-"));
    log(P.reduce.call(like, (a, b) => a + b), P.flatMap.call(like, (x) => [x, x]), P.findLastIndex.call(like, (x) => x === undefined));
    log(P.slice.call(like, 1), P.concat.call(like, [1]), P.indexOf.call(like, "c"), P.includes.call(like, undefined));
    P.push.call(like, "d"); log(like);
    P.reverse.call(like); log(like);
    P.sort.call(like, (a, b) => a < b ? -1 : 1); log(like);
    log(P.splice.call(like, 0, 1, "x", "y"), like);
    log(P.toSorted.call(like), P.toReversed.call(like), P.with.call(like, 0, 1));
    log(P.map.call({ length: { valueOf() { return 2; } }, 0: 1, 1: 2 }, (x) => x * 2));
    log(P.map.call({ length: -5 }, (x) => x), P.map.call({ length: "2", 0: 1 }, (x) => x), P.map.call({}, (x) => x));
    log([...P.values.call(like)], [...P.entries.call(like)], [...P.keys.call({ length: 2 })]);
  `,
  "errors of callbacks and receivers": `
    for (const method of ["map", "forEach", "filter", "every", "some", "find", "findIndex", "findLast", "findLastIndex", "reduce", "reduceRight", "flatMap", "sort", "toSorted"]) {
      for (const wrong of [undefined, null, 1, "text", {}, [], new Map(), new Error("boo"), true, 5n]) {
        if (wrong !== undefined || (method !== "sort" && method !== "toSorted")) attempt(() => [1, 2][method](wrong));
      }
      attempt(() => Array.prototype[method].call(null, () => 1));
    }
    attempt(() => [1, 2, 3].map((x) => { if (x === 2) throw new RangeError("two"); return x; }));
    attempt(() => Array.from([1], 5));
    attempt(() => Array.from(null));
    attempt(() => Array.from(undefined));
    attempt(() => Array.prototype.join.call(undefined));
  `,
  "join and toString": `
    log([1, [2, [3, null]], undefined, { toString() { return "obj"; } }, {}].join("-"), String([1, [2, 3]]), [] + "", [null] + "", [[]] + "");
    log([1, 2].join(), [1, 2].join(undefined), [1, 2].join(null), [1, 2].join({ toString() { return "+"; } }), [5n, -0, true, "x"].join(""));
    const cyclic = [1]; cyclic.push(cyclic, [cyclic, 2]); log(cyclic.join("|"), String(cyclic));
    const nested = []; nested.push({ toString() { return "<" + nested.join() + ">"; } }, 5); log(nested.join());
    const separator = [1, 2]; log(separator.join({ toString() { return separator.join("+"); } }));
    attempt(() => [{ toString() { throw new Error("no text"); } }].join());
    attempt(() => [{ toString() { return {}; }, valueOf() { return {}; } }].join());
    log([Object.create(null)].length);
    attempt(() => [Object.create(null)].join());
    const changing = [{ toString() { changing.length = 1; return "cut"; } }, 2, 3]; log(changing.join());
    const own = [1, 2]; own.join = () => "mine"; log(String(own), own.toString());
    own.join = 5; log(String(own));
    log(Array.prototype.toString.call({ join() { return "j"; } }), Array.prototype.toString.call({}));
    log([, 1, , 2, ,].join());
  `,
  "sort with comparators of all kinds": `
    const calls = [];
    const list = [5, 3, , 9, undefined, 1, 7, 3, 8, 2, 6, 4, 0];
    log(list.sort((a, b) => { calls.push(a, b); return a - b; }), calls);
    log([3, 1, 2].sort(() => undefined), [3, 1, 2].sort((a, b) => String(a - b)), [3, 1, 2].sort((a, b) => ({ valueOf() { return b - a; } })));
    log([3, 1, 10, 2, -1, undefined, null, "b", , true, 5n].sort(), [[2], [10], [1]].sort(), ["b", "a", "\\u{1F600}", "\\uFFFF"].sort());
    attempt(() => [1, 2].sort(() => 1n));
    attempt(() => [1, 2].sort(() => { throw new Error("stop"); }));
    attempt(() => Object.freeze([2, 1]).sort());
    attempt(() => Object.freeze([1]).sort());
    const seen = []; const objects = [3, 1, 2].map((n) => ({ n, toString() { seen.push(n); return String(n); } }));
    log(objects.sort().map((o) => o.n), seen);
    const shrinking = [3, 2, 1]; shrinking.sort((a, b) => { shrinking.length = 0; return a - b; }); log(shrinking);
    const source = [3, , 1]; log(source.toSorted(), source, source.toSorted((a, b) => b - a));
    const big = []; for (let i = 0; i < 500; i++) big.push((i * 7919) % 503);
    let count = 0; big.sort((a, b) => { count++; return a - b; }); log(count, big.slice(0, 5), big[499]);
    log([3, 1, 2].sort(undefined), [1].toSorted());
  `,
  "Array.from": `
    log(Array.from("a\\u{1F600}b"), Array.from(new Map([[1, 2]])), Array.from(new Set([3, 3, 4]).values()), Array.from([1, , 3]));
    log(Array.from({ length: 3 }), Array.from({ length: 2 }, (_, i) => i * 2), Array.from({ length: 2, 1: "x" }), Array.from(5), Array.from(true), Array.from({}));
    log(Array.from([1, 2, 3], (item, index) => [item, index]), Array.from([1].entries()), Array.from(""));
    const growing = [1, 2]; log(Array.from(growing, (x) => { if (growing.length < 5) growing.push(x); return x; }));
  `,
  "Object.fromEntries and friends": `
    log(Object.fromEntries([["a", 1], ["b", 2], ["a", 3]]), Object.fromEntries(new Map([["x", 1]])), Object.fromEntries([[{ toString() { return "k"; } }, 1]]));
    log(Object.fromEntries([{ 0: "a", 1: 2 }]), Object.fromEntries([[1, 2], [null, 3], [undefined]]), Object.fromEntries([]));
    for (const wrong of [null, undefined, 1, "ab", [1], [null], ["ab"], {}]) attempt(() => Object.fromEntries(wrong));
    log(Object.entries({ b: 1, 2: 2, a: 3, 1: 4 }), Object.keys("ab"), Object.values([1, , 2]), Object.assign({}, [1], "xy", null));
    log(Object.getOwnPropertyNames(() => 1), Object.getOwnPropertyNames([1]), Object.getOwnPropertyDescriptor((a, b) => 1, "length"));
    const f = (a, b) => a; Object.defineProperty(f, "name", { value: "renamed" }); log(f, f.bind(null, 1), f.bind());
    attempt(() => Object.defineProperty({}, { toString() { return "k"; } }, { value: 1, enumerable: true }));
    log({}.hasOwnProperty.call({ a: 1 }, { toString() { return "a"; } }), Object.is(NaN, NaN), Object.is(0, -0));
    log(Object.prototype.toString.call([]), String({}), Object.prototype.toString.call(() => 1), Object.prototype.toString.call(async () => 1), Object.prototype.toString.call(new Map()));
  `,
  "freezing is felt by assignments and methods": `
    const frozen = Object.freeze({ a: 1, list: [1] });
    attempt(() => { frozen.a = 2; }); attempt(() => { frozen.b = 2; }); attempt(() => { delete frozen.a; });
    frozen.list.push(2); log(frozen, Object.isFrozen(frozen), Object.isFrozen(frozen.list), Object.isSealed(frozen), Object.isExtensible(frozen));
    const list = Object.freeze([1, 2, 3]);
    for (const method of ["push", "pop", "shift", "unshift", "reverse", "sort", "splice", "fill", "copyWithin"]) attempt(() => list[method](0, 1, 2));
    attempt(() => { list[0] = 9; }); attempt(() => { list[5] = 9; }); attempt(() => { list.length = 0; }); attempt(() => { delete list[0]; });
    const sealed = Object.seal({ a: 1 }); sealed.a = 2; attempt(() => { sealed.b = 1; }); attempt(() => { delete sealed.a; }); log(sealed);
    const hidden = Object.defineProperty({ x: 1 }, "y", { value: 2 }); log(hidden, hidden.y, JSON.stringify(hidden), Object.entries(hidden));
    attempt(() => { hidden.y = 3; });
  `,
  "members of strings cannot be written, and only real indices cannot be deleted": `
    const text = "text";
    for (const key of ["length", "0", 3, 4, 1.5, -1, "-0", "01", "", "x"]) {
      attempt(() => { text[key] = 1; }); attempt(() => delete text[key]);
      log(Object.hasOwn(text, key), text.propertyIsEnumerable(key), Object.getOwnPropertyDescriptor(text, key));
    }
  `,
  "searching in an array-like without end stops at the first hit": `
    const endless = { 0: "a", 1: "b", length: Infinity };
    log([].indexOf.call(endless, "b"), [].includes.call(endless, "a"), [].lastIndexOf.call({ ...endless, length: 2 }, "a"));
  `,
  "iterators as values": `
    const iterator = [1, 2].values(); log(iterator.next(), iterator.next(), iterator.next(), iterator.next());
    log([...[1, , 2].entries()], [...[1, 2].keys()], [..."a\\u{1F600}"], [...new Map([[1, 2]])], [...new Set([1, 2]).entries()]);
    const map = new Map([[1, "a"], [2, "b"], [3, "c"]]); const walked = [];
    for (const [key, value] of map) { walked.push(key, value); if (key === 1) { map.delete(2); map.set(4, "d"); } } log(walked);
    const list = [1, 2, 3]; const seen = []; for (const item of list) { seen.push(item); if (item < 3 && list.length < 6) list.push(item * 10); } log(seen);
    const spent = [1].values(); log([...spent], [...spent], spent.next());
    const shared = [1, 2, 3, 4].values(); const [first, second] = shared; log(first, second, [...shared]);
    attempt(() => [...5]); attempt(() => { for (const x of {}) log(x); }); attempt(() => new Map([1])); attempt(() => new Set(5));
    attempt(() => [].values().next.call({}));
    log(Object.prototype.toString.call([].values()), typeof [].values().next);
  `,
  "errors are made as V8 makes them": `
    const error = new Error("m", { cause: 1 }); log(Object.getOwnPropertyNames(error), Object.keys(error), error.cause, String(error));
    log(Object.getOwnPropertyNames(new TypeError()), new RangeError({ toString() { return "text"; } }).message, Error("x") instanceof Error, new Error(undefined).hasOwnProperty("message"));
    log(String(new TypeError("a")), Error.prototype.toString.call({ name: "N", message: "M" }), Error.prototype.toString.call({ name: { toString() { return "obj"; } } }));
    attempt(() => Error.prototype.toString.call(1));
    const many = new AggregateError([1, 2], "msg"); log(many.errors, many.message, many.name, Object.getOwnPropertyNames(many));
    attempt(() => new AggregateError(5));
    const renamed = new Error("x"); renamed.name = "Other"; log(String(renamed), error.stack.split("\\n")[0]);
  `,
  "arguments that are objects are made primitive first": `
    const order = [];
    const number = (n) => ({ valueOf() { order.push(n); return n; } });
    log([1, 2, 3, 4].slice(number(1), number(3)), [1, 2, 3].at(number(-1)), [1, 2, 3].splice(number(1), number(1)), [1, [2, [3]]].flat(number(2)), order);
    log([1, 2, 3].fill(0, number(1)), [1, 2, 3].indexOf(3, number(1)), [1, 2, 3].with(number(0), 9), [1, 2, 3].copyWithin(number(0), number(1)));
    attempt(() => [1].at({ valueOf() { throw new Error("no number"); } }));
    attempt(() => [1].at(5n));
  `,
  "bind, call and apply": `
    const object = { n: 2, add(a, b) { return this.n + a + b; } };
    const bound = object.add.bind({ n: 10 }, 1); log(bound(2), bound.name, bound.length, bound.bind(null, 5)(), object.add.call({ n: 1 }, 1, 1), object.add.apply({ n: 1 }, [2, 2]));
    log([1, 2, 3].map(String.prototype.concat.bind("x")), Math.max.apply(null, [1, 5, 2]), Array.prototype.slice.call([1, 2, 3], 1));
    attempt(() => Function.prototype.bind.call({}));
    log(Object.getOwnPropertyNames(bound), [3, 1, 2].map(Math.abs).sort((() => (a, b) => b - a)()));
  `,
};

for (const [name, body] of Object.entries(bodies)) {
  test(`${name}`, async () => {
    expect(runOnMachine(body)).toEqual(await runNatively(body));
  });
}
