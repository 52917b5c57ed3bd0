import { readFileSync, readdirSync } from "node:fs";
import { builtins } from "@cairnjs/ir";
import { Coverage } from "./coverage/coverage.ts";
import { loweringTables } from "./coverage/lowering-tables.ts";
import type { Body } from "./generate/body-arbitrary.ts";
import { generateModule, goals } from "./generate/module.ts";
import { isProbed, probeOf } from "./generate/probe.ts";
import { probeBody } from "./generate/probe-body.ts";
import { type Checked, checkBody } from "./run/check-body.ts";
import { Random } from "./run/random.ts";
import type { RejectionTracker } from "./run/rejections.ts";
import { schedules } from "./run/schedule.ts";
import { type Failure, SCHEDULES_PER_BODY, checkSource, restoredRuns, search, shrink } from "./run/search.ts";

const SEARCH_MS = 180_000;
const SHRINK_MS = 60_000;
const PROBES_PER_BODY = 10;
const PROBE_ROUNDS_MAX = 12;
const ALIKE_MAX = 3;

/**
 * One run of the differential test.
 *
 * Owns: what has been checked and found, and the coverage.
 * Does not own: when to stop; its methods check one part of the whole each.
 */
export class Session {
  readonly seed: number;
  readonly coverage: Coverage;
  readonly failures: Failure[] = [];
  /** Messages of built-in errors that are worded otherwise, with a source. */
  readonly wordings = new Map<string, string>();
  /** What the machine refused on purpose, and how often. */
  readonly refusals = new Map<string, number>();
  bodies = 0;
  runs = 0;
  restores = 0;
  readonly #rejections: RejectionTracker;

  private constructor(seed: number, coverage: Coverage, rejections: RejectionTracker) {
    this.seed = seed;
    this.coverage = coverage;
    this.#rejections = rejections;
  }

  static async open(seed: number, rejections: RejectionTracker): Promise<Session> {
    return new Session(seed, new Coverage(await loweringTables()), rejections);
  }

  /** Uses of every built-in, and more of those that have only thrown so far; the first ones on machines that are restored, too. */
  async probeBuiltins(rounds: number, isRestored = true): Promise<void> {
    const random = new Random(this.seed);
    let wanted = builtins.filter(isProbed);
    for (let round = 0; round < PROBE_ROUNDS_MAX && wanted.length > 0; round++) {
      for (let at = 0; at < wanted.length; at += PROBES_PER_BODY) {
        const probes = wanted.slice(at, at + PROBES_PER_BODY).map((builtin) => probeOf(builtin, random));
        await this.#check(
          { source: probeBody(probes), seed: random.next(), everyDelta: true },
          Number(isRestored && round === 0),
        );
      }
      const left = new Set(this.coverage.missingBuiltins());
      if (round + 1 >= rounds) wanted = wanted.filter(({ path }) => left.has(path));
    }
  }

  /** A body for each production of the generator. */
  async useProductions(): Promise<void> {
    const random = new Random(this.seed ^ 0x5eed);
    for (const [index, first] of goals.entries()) {
      const seed = random.next();
      await this.#check({ source: generateModule({ seed, size: 12, first }), seed }, Number(index % 2 === 0));
    }
  }

  /** Random bodies. The first that fails is shrunk and kept. */
  async checkRandom(seed: number, bodies: number): Promise<void> {
    const failure = await search(
      {
        seed,
        bodies,
        restored: restoredRuns,
        timeLimitMs: SEARCH_MS,
        onChecked: (body, checked) => this.#count(body, checked),
        isKnown: (finding) => this.#isKnown(finding.kind, finding.key),
      },
      this.#rejections,
    );
    if (failure !== null) this.failures.push(failure);
  }

  /** The hand-written bodies. */
  async checkCorpus(): Promise<void> {
    const folder = new URL(import.meta.url.endsWith(".ts") ? "./corpus/" : "../corpus/", import.meta.url);
    for (const name of readdirSync(folder).toSorted()) {
      const source = readFileSync(new URL(name, folder), "utf8");
      const options = { schedules: schedules(this.seed, SCHEDULES_PER_BODY), restored: 1 };
      const checked = await checkBody({ entry: name, files: { [name]: source } }, options, this.#rejections);
      this.#count({ source, seed: this.seed }, checked);
      const found = checked.findings.find(({ kind }) => kind !== "wording");
      if (found !== undefined) this.failures.push({ finding: found, body: { source, seed: this.seed } });
    }
  }

  async #check(body: Body, restored: number): Promise<void> {
    const checked = await checkSource(body, this.#rejections, restored);
    this.#count(body, checked);
    const found = checked.findings.find(({ kind }) => kind !== "wording");
    if (found === undefined || this.#isKnown(found.kind, found.key)) return;
    this.failures.push((await shrink(body, restored, SHRINK_MS, this.#rejections)) ?? { finding: found, body });
  }

  #count(body: Body, checked: Checked): void {
    this.bodies++;
    this.runs += checked.runs;
    this.restores += checked.restores;
    for (const refusal of checked.refusals) this.refusals.set(refusal, (this.refusals.get(refusal) ?? 0) + 1);
    let agrees = true;
    for (const { kind, key } of checked.findings) {
      if (kind === "wording") this.wordings.set(key, body.source);
      else agrees = false;
    }
    if (agrees) this.coverage.add(body.source, checked);
  }

  /** Two defects may look alike, so a few of each look are shrunk. */
  #isKnown(kind: string, key: string): boolean {
    const alike = this.failures.filter(({ finding }) => finding.kind === kind && finding.key === key);
    return alike.length >= ALIKE_MAX;
  }

  summary(): string {
    return `${this.bodies} bodies, ${this.runs} runs, ${this.restores} restores, ${this.failures.length} failures, ${this.wordings.size} wordings`;
  }
}

export function showFailure({ finding, body }: Failure): string {
  const { kind, key, detail, schedule, restored } = finding;
  return `--- ${kind} ${key}\nschedule ${JSON.stringify(schedule)}${restored ? ", restored at every instruction" : ""}\n${detail}\n\n${body.source}\n---`;
}
