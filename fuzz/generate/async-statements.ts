import type { Generator, Production } from "./generator.ts";
import { leaf } from "./literals.ts";
import { durableCall } from "./promise-expressions.ts";

const inAsync = (g: Generator): boolean => g.inAsync;

export const asyncStatements: readonly Production[] = [
  { name: "await promise", weight: 10, when: inAsync, write: awaitPromise },
  { name: "await call", weight: 10, when: inAsync, write: awaitCall },
  { name: "started now, awaited later", weight: 6, when: inAsync, write: startedNow },
  { name: "race of jobs", weight: 6, when: (g) => g.inAsync && g.functions < 2, write: raceOfJobs },
  { name: "await in positions", weight: 6, when: inAsync, write: awaitInPositions },
  { name: "floating promise", weight: 1, when: inAsync, write: (g) => `void ${g.expression("promise")};` },
  { name: "loop of awaits", weight: 4, when: (g) => g.inAsync && g.loops < 2, write: loopOfAwaits },
  {
    name: "compensate",
    weight: 1,
    when: inAsync,
    write: (g) => `compensate(${g.pick(g.module.actions)}, ${g.any()}, ${g.any()});`,
  },
  {
    name: "emit",
    weight: 1,
    write: (g) =>
      `try { emit(${g.pick(['"order.paid"', '"x"'])}, ${g.expression(g.pick(["object", "array", "map", "any"]))}); } catch (error) { ${g.log("error")} }`,
  },
  { name: "progress", weight: 1, write: (g) => `try { progress(${g.any()}); } catch (error) { ${g.log("error")} }` },
  {
    name: "run info",
    weight: 1,
    write: (g) => g.log("runInfo().id", "runInfo().tags", "Date.now() >= runInfo().startedAt.getTime()"),
  },
  { name: "step", weight: 2, when: (g) => g.inAsync && g.functions === 0 && g.loops === 0, write: stepStatement },
  { name: "not storable", weight: 1, when: inAsync, write: notStorable },
  { name: "signal timeout", weight: 4, when: inAsync, write: signalTimeout },
  {
    name: "unhandled",
    weight: 1,
    when: inAsync,
    write: (g) => `const ${g.fresh("u")} = Promise.reject(${leaf(g, "error")});`,
  },
  { name: "async callbacks", weight: 4, when: inAsync, write: asyncCallbacks },
  { name: "return await", weight: 4, when: (g) => g.inAsync && g.functions < 2, write: returnAwait },
];

function awaitPromise(g: Generator): string {
  return `try {\n${g.log(`await ${g.expression("promise")}`)}\n} catch (error) {\n${g.log("error")}\n}`;
}

function awaitCall(g: Generator): string {
  const name = g.fresh("v");
  const text = g.chance(0.6)
    ? `let ${name};\ntry {\n${name} = await ${durableCall(g)};\n} catch (error) {\n${g.log("error", `error instanceof ${g.pick(["Error", "SignalTimeout", "ActionTimeout", "TypeError", ...g.module.errorClasses])}`)}\n}`
    : `const ${name} = await ${g.pick(g.module.actions)}(${g.any()});`;
  g.declare(name, "any", text.startsWith("let"));
  return `${text}\n${g.log(name)}`;
}

function startedNow(g: Generator): string {
  const [a, b] = [g.fresh("p"), g.fresh("p")];
  const between = g.scoped(() => g.lines(1));
  return `const ${a} = ${g.expression("promise")};\nconst ${b} = ${g.expression("promise")};\n${between}\ntry {\n${g.log(`await ${g.pick([a, b])}`, `await ${g.pick([a, b])}`)}\n} catch (error) {\n${g.log("error")}\n}`;
}

/** Several async functions that log between their awaits: the order is the job queue's. */
function raceOfJobs(g: Generator): string {
  const name = g.fresh("jobs");
  const job = (): string => {
    const steps = Array.from(
      { length: 1 + g.random.below(3) },
      () =>
        `${g.log()}\n${g.pick([
          () => "await null;",
          () => `await ${leaf(g, "promise")}.catch(() => 0);`,
          () => "await new Promise((resolve) => resolve(Promise.resolve(1)));",
          () => "await { then(resolve) { resolve(1); } };",
          () => `await ${g.pick(g.module.actions)}(${leaf(g, "number")}).catch(() => 1);`,
          () => "await (async () => Promise.resolve(2))();",
          () => "await Promise.all([1, Promise.resolve(2)]);",
          () => "await Promise.race([Promise.resolve(1)]);",
          () => "await (async () => { try { return await Promise.resolve(3); } finally { await null; } })();",
          () => "await Promise.resolve().then(() => Promise.resolve(1)).finally(() => {});",
        ])()}`,
    );
    return `(async () => {\n${steps.join("\n")}\n${g.log()}\nreturn ${leaf(g, "number")};\n})()`;
  };
  const jobs = Array.from({ length: 2 + g.random.below(3) }, job);
  return `const ${name} = [${jobs.join(", ")}];\n${g.log(`await Promise.${g.pick(["all", "race", "allSettled", "any"])}(${name})`)}`;
}

function awaitInPositions(g: Generator): string {
  const name = g.fresh("v");
  const value = (): string =>
    `await ${g.chance(0.5) ? `${g.pick(g.module.actions)}(${leaf(g, "number")})` : leaf(g, "promise")}`;
  const text = g.pick([
    () => `const ${name} = [${value()}, 2, ...[${value()}]];`,
    () => `const ${name} = { a: ${value()}, [String(${value()})]: 1, ...(${value()}) };`,
    () => `const ${name} = \`\${${value()}}-\${${value()}}\`;`,
    () => `const ${name} = (${value()}) ? ${value()} : 1;`,
    () => `const ${name} = (${value()}) + (${value()});`,
    () => `const ${name} = [1, 2][${value()}] ?? ${value()};`,
    () => `const { a: ${name} = ${value()} } = {};`,
    () => `let ${name} = 1;\n${name} += ${value()};`,
    () => `const ${name} = Math.max(1, ${value()}, Number(${value()}));`,
    () => `const ${name} = (${value()}, 5);`,
    () => `const ${name} = typeof (${value()});`,
    () => `const ${name} = new Map([[${value()}, ${value()}]]).size;`,
    () => `const ${name} = {};\n${name}.x = ${value()};\n${name}[${value()}] = ${value()};`,
    () => `const ${name} = ((x) => [x])(${value()});`,
    () => `const ${name} = !(${value()}) || (${value()});`,
  ])();
  return `try {\n${text}\n${g.log(name)}\n} catch (error) {\n${g.log("error")}\n}`;
}

function loopOfAwaits(g: Generator): string {
  const [item, list] = [g.fresh("x"), g.fresh("list")];
  const action = g.pick(g.module.actions);
  return g.pick([
    () =>
      `const ${list} = [];\nfor (const ${item} of [1, 2, 3]) {\ntry {\n${list}.push(await ${action}(${item}));\n} catch (error) {\n${g.log(item, "error")}\ncontinue;\n} finally {\n${g.log(item)}\n}\n}\n${g.log(list)}`,
    () => `for (const ${item} of await Promise.all([1, ${leaf(g, "promise")}.catch(() => 0)])) ${g.log(item)}`,
    () => `let ${item} = 0;\nwhile ((await Promise.resolve(${item}++)) < 2) {\n${g.inLoop(() => g.block(1))}\n}`,
    () => `do {\nvar ${item} = await sleep(1);\n} while (await Promise.resolve(false));\n${g.log(item)}`,
    () =>
      `for (let ${item} = await Promise.resolve(0); ${item} < (await Promise.resolve(2)); ${item} += await Promise.resolve(1)) ${g.log(item)}`,
    () =>
      `switch (await Promise.resolve(1)) {\ncase await Promise.resolve(0):\n${g.log()}\ncase await Promise.resolve(1):\n${g.log()}\ndefault:\n${g.log()}\n}`,
  ])();
}

function stepStatement(g: Generator): string {
  const name = g.fresh("step");
  const result = g.fresh("v");
  const captured = g
    .variables("any")
    .filter(({ assignable, name: each }) => assignable && /^v\d/.test(each))
    .slice(0, 2);
  const list = captured.map((variable) => variable.name).join(", ");
  g.declare(result, "any", false);
  return `let ${result};\ntry {\n${result} = await step("${name}", async () => ({ doubled: [${list}], length: ${captured.length} }));\n} catch (error) {\n${g.log("error")}\n}\n${g.log(result)}`;
}

function notStorable(g: Generator): string {
  const value = g.pick([
    "() => 1",
    "Promise.resolve(1)",
    "/x/",
    "[1, { deep: () => 2 }]",
    "new Map([[1, [].values()]])",
    "[].values()",
    "({ m() { return 1; } })",
  ]);
  return `try {\n${g.log(`await ${g.pick(g.module.actions)}(1, ${value})`)}\n} catch (error) {\n${g.log("error instanceof NotStorable")}\n}`;
}

function signalTimeout(g: Generator): string {
  const action = g.pick(g.module.actions);
  return `try {\nconst won = await Promise.race([${g.pick(["approved", 'signal("answers")'])}.wait({ timeout: ${g.pick(["10", '"3 h"', "0"])} }), ${action}(${leaf(g, "number")})]);\n${g.log("won")}\n} catch (error) {\n${g.log("error", "error instanceof SignalTimeout")}\n}`;
}

function asyncCallbacks(g: Generator): string {
  const body = g.inFunction({ async: true }, () => {
    g.declare("item", "any", false);
    return g.block(1);
  });
  const use = g.pick([
    `await Promise.all([3, 1, 2].map(async (item, index) => {\n${body}\nreturn [index, item];\n}))`,
    `await Promise.allSettled([1, 2].map(async (item) => {\n${body}\nif (item === 1) throw new RangeError("§one");\nreturn item;\n}))`,
    `await [1, 2, 3].reduce(async (total, item) => {\n${body}\nreturn (await total) + item;\n}, Promise.resolve(0))`,
    `await mapLimit([1, 2, 3], 2, async (item) => {\n${body}\nreturn item;\n})`,
  ]);
  return `try {\n${g.log(use)}\n} catch (error) {\n${g.log("error")}\n}`;
}

/** `return` and `return await` differ inside try. */
function returnAwait(g: Generator): string {
  const name = g.fresh("f");
  return `async function ${name}() {\ntry {\nreturn ${g.pick(["", "await "])}${g.expression("promise")};\n} catch (error) {\n${g.log("error")}\nreturn ${g.any()};\n} finally {\n${g.chance(0.5) ? "await null;" : ""}\n${g.log()}\n}\n}\ntry {\n${g.log(`await ${name}()`)}\n} catch (error) {\n${g.log("error")}\n}`;
}
