// The VM beside two other JavaScript interpreters: a numeric loop, a string builder, an object walk, closure calls.
import { getQuickJS } from "quickjs-emscripten";
import svalModule from "sval";
import { imageOf, median, resultOf, start } from "./workflow.mjs";

const Sval = svalModule.default ?? svalModule;

const programs = {
  "numeric loop": [400_000, "let s = 0; for (let i = 0; i < n; i++) s = (s + i * 2) % 1000003; return s;"],
  "string builder": [100_000, 'let s = ""; for (let i = 0; i < n; i++) s += "x" + i; return s.length;'],
  "object walk": [
    150_000,
    `const root = { a: { b: { c: 1 } }, list: [1, 2, 3, 4] };
     let s = 0;
     for (let i = 0; i < n; i++) { root.a.b.c = i; s += root.a.b.c + root.list[i & 3]; }
     return s;`,
  ],
  "closure calls": [
    150_000,
    "let t = 0; const add = (x) => { t += x; return t; }; for (let i = 0; i < n; i++) add(i); return t;",
  ],
};

export async function interpreter() {
  const quickjs = await getQuickJS();
  return Object.entries(programs).map(([label, [n, body]]) => {
    const image = imageOf(`export default workflow("bench", async (n: number) => { ${body} });`);
    const context = quickjs.newContext();
    const source = `(function (n) { ${body} })(${n})`;
    const expected = new Function("n", body)(n);
    const check = (value) => {
      if (value !== expected) throw new Error(`${label}: ${value} instead of ${expected}`);
    };
    const runs = {
      cairn: () => check(resultOf(start(image, String(n)).effects)),
      quickjs: () => check(context.unwrapResult(context.evalCode(source)).consume((handle) => context.dump(handle))),
      sval: () => {
        const sval = new Sval({ ecmaVer: 2019, sandBox: true });
        sval.run(`exports.result = ${source}`);
        check(sval.exports.result);
      },
    };
    const ms = interleaved(runs);
    context.dispose();
    const value = `quickjs ${(ms.quickjs / ms.cairn).toFixed(2)} ×, sval ${(ms.sval / ms.cairn).toFixed(2)} ×`;
    return { label, value, aim: "both over 1 ×", blocking: true, ok: ms.quickjs > ms.cairn && ms.sval > ms.cairn };
  });
}

/** Rounds of the contestants take turns, so that all see the same machine; the fastest of each is the least disturbed. */
function interleaved(runs) {
  const times = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  for (let round = 0; round < 15; round++) {
    for (const [name, run] of Object.entries(runs)) times[name].push(median(run, 1, round === 0 ? 3 : 0));
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, Math.min(...list)]));
}
