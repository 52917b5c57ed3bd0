import { graphOf } from "@cairnjs/ir";
import { expect, test } from "vitest";
import { compile } from "../src/index.ts";

/** Bodies made at random run natively, some of their actions failing: every way that a run takes must be drawn. */
const seeds = Array.from({ length: 300 }, (_, index) => 7_000 + index);

test.each(seeds)("ways of the body made from seed %i", async (seed) => {
  const random = generator(seed);
  const body = smallBody(random);
  const drawn = drawnWays(body);
  for (let run = 0; run < 30; run += 1) {
    const taken = await waysOfRun(body, random);
    for (const way of taken) expect(drawn, body).toContain(way);
  }
});

/** Of the ways that meet after very many nodes only the nearest are drawn. */
const NODES_MAX = 32;

function smallBody(random: () => number): string {
  for (;;) {
    const writer = new BodyWriter(random);
    const body = writer.block(2);
    if (writer.nodes <= NODES_MAX) return body;
  }
}

function drawnWays(body: string): Set<string> {
  const source = `import { action, workflow } from "cairnjs";
    const a = action("a", async () => true);
    export default workflow("w", async () => {${body}});`;
  const { workflows, diagnostics } = compile("main.ts", { resolve: () => null, read: () => source });
  const [workflow] = workflows;
  if (workflow === undefined) throw new Error(`${diagnostics[0]?.code} in ${body}`);
  return new Set(graphOf(workflow.program).edges.map(({ from, to }) => `${shortName(from)} -> ${shortName(to)}`));
}

/** Nodes are known by their fixed id, the last part of the whole one. */
function shortName(id: string): string {
  return id.startsWith("start:") ? "start" : id.startsWith("end:") ? "end" : id.slice(id.lastIndexOf("/") + 1);
}

/** The way to the end is left out when an action has failed and nobody caught it: such ways are not drawn. */
async function waysOfRun(body: string, random: () => number): Promise<string[]> {
  const reached = ["start"];
  const failure = new Error("of an action");
  let calls = 0;
  const a = {
    with: ({ id }: { id: string }) => {
      return async () => {
        reached.push(id);
        calls += 1;
        if (random() < 0.2) throw failure;
        return calls < 40 && random() < 0.5;
      };
    },
  };
  const own = Object.assign(Object.create(Math) as typeof Math, { random: () => (calls < 40 ? random() : 0.9) });
  // oxlint-disable-next-line no-new-func -- The body is our own text.
  const run = new Function("a", "Math", `return async () => {${body}}`)(a, own) as () => Promise<unknown>;
  const error = await run().catch((thrown: unknown) => thrown);
  if (error !== failure) reached.push("end");
  return reached.slice(1).map((to, index) => `${reached[index]} -> ${to}`);
}

/** Writes statements; loops end, since every one has a test that gives up after some calls or runs twice. */
class BodyWriter {
  readonly #random: () => number;
  nodes = 0;
  #labels = 0;
  /** What `break` and `continue` may name here. */
  #targets: { readonly label: string; readonly isLoop: boolean }[] = [];
  #inSwitch = false;

  constructor(random: () => number) {
    this.#random = random;
  }

  block(depth: number): string {
    const count = 1 + this.#below(3);
    return Array.from({ length: count }, () => this.#statement(depth)).join("\n");
  }

  #statement(depth: number): string {
    if (depth === 0 || this.#below(3) === 0) return this.#simple();
    const inner = (): string => this.block(depth - 1);
    switch (this.#below(11)) {
      case 0:
        return `if (${this.#test()}) {${inner()}}`;
      case 1:
        return `if (${this.#test()}) {${inner()}} else if (${this.#test()}) {${inner()}} else {${inner()}}`;
      case 2:
        return this.#loop((body) => `for (const i of [1, 2]) {${body}}`, depth);
      case 3:
        return this.#loop((body) => `while (${this.#test()}) {${body}}`, depth);
      case 4:
        return this.#loop((body) => `do {${body}} while (${this.#test()});`, depth);
      case 5:
        return this.#loop((body) => `for (let i = 0; i < 2; i += 1 + Number(${this.#test()})) {${body}}`, depth);
      case 6:
        return this.#switch(depth);
      case 7:
        return `try {${inner()}} catch {${inner()}}`;
      case 8:
        return `try {${inner()}} finally {${inner()}}`;
      case 9:
        return `try {${inner()}} catch (error) {${inner()}; if (${this.#test()}) throw error;} finally {${inner()}}`;
      default:
        return this.#inFunction(depth);
    }
  }

  #simple(): string {
    switch (this.#below(9)) {
      case 0:
        return this.#jump();
      case 1:
        return `${this.#test()} ? ${this.#node()} : ${this.#test()};`;
      case 2:
        return `${this.#test()} || ${this.#node()};`;
      case 3:
        return `[${this.#node()}, { x: ${this.#node()} }];`;
      default:
        return `${this.#node()};`;
    }
  }

  #jump(): string {
    const guard = this.#below(4) === 0 ? "" : `if (${this.#test()}) `;
    const target = this.#targets[this.#below(this.#targets.length + 1)];
    if (target === undefined) return `${guard}${this.#below(2) === 0 ? "return" : "throw new Error()"};`;
    if (target.isLoop && this.#below(2) === 0) return `${guard}continue ${target.label};`;
    if (target.isLoop && this.#inSwitch && this.#below(2) === 0) return `${guard}break;`;
    return `${guard}break ${target.label};`;
  }

  #loop(make: (body: string) => string, depth: number): string {
    const label = `l${this.#labels++}`;
    const outer = this.#inSwitch;
    this.#inSwitch = false;
    this.#targets.push({ label, isLoop: true });
    const body = this.block(depth - 1);
    this.#targets.pop();
    this.#inSwitch = outer;
    return `${label}: ${make(body)}`;
  }

  #switch(depth: number): string {
    const outer = this.#inSwitch;
    this.#inSwitch = true;
    const tests = ["case 0:", "case 1:", this.#below(2) === 0 ? "default:" : "case 2:", "case 3:"];
    const cases = tests.map((test) => {
      if (this.#below(4) === 0) return test;
      return `${test} {${this.block(depth - 1)}} ${this.#below(2) === 0 ? "break;" : ""}`;
    });
    this.#inSwitch = outer;
    return `switch (Math.floor(Math.random() * 5)) {${cases.join("\n")}}`;
  }

  /** Called where it stands, so that its jumps are ways of the body. */
  #inFunction(depth: number): string {
    const targets = this.#targets;
    const outer = this.#inSwitch;
    this.#targets = [];
    this.#inSwitch = false;
    const body = this.block(depth - 1);
    this.#targets = targets;
    this.#inSwitch = outer;
    return `await (async () => {${body}})();`;
  }

  #test(): string {
    switch (this.#below(6)) {
      case 0:
        return this.#node();
      case 1:
        return `!(${this.#plainTest()} && ${this.#node()})`;
      case 2:
        return `(${this.#node()} || ${this.#plainTest()})`;
      default:
        return this.#plainTest();
    }
  }

  #plainTest(): string {
    return "Math.random() < 0.5";
  }

  #node(): string {
    return `(await a.with({ id: "${this.nodes++}" })())`;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
