import * as fc from "fast-check";
import { type Body, BodyArbitrary, FixedBody } from "../generate/body-arbitrary.ts";
import { type Checked, type Finding, checkBody } from "./check-body.ts";
import type { Sources } from "./native-module.ts";
import type { RejectionTracker } from "./rejections.ts";
import { schedules } from "./schedule.ts";

/** A defect with the smallest body that shows it. */
export interface Failure {
  readonly finding: Finding;
  readonly body: Body;
}

export interface SearchOptions {
  /** How many of a body's schedules are repeated with restores. */
  readonly restored: (body: Body) => number;
  readonly seed: number;
  readonly bodies: number;
  readonly timeLimitMs: number;
  /** Called for every body that was checked, before any shrinking. */
  readonly onChecked: (body: Body, checked: Checked) => void;
  /** Findings that are known already are not looked into again. */
  readonly isKnown: (finding: Finding) => boolean;
}

export const SCHEDULES_PER_BODY = 5;

export function checkSource(body: Body, rejections: RejectionTracker, restored: number): Promise<Checked> {
  return checkBody(
    sourcesOf(body.source),
    { schedules: schedules(body.seed, SCHEDULES_PER_BODY), restored, everyDelta: body.everyDelta },
    rejections,
  );
}

/** A body's text may hold several files, each after a line `//// name`. */
export function sourcesOf(text: string): Sources {
  const [main, ...others] = text.split(/^\/\/\/\/ (\S+)\n/m);
  const files: Record<string, string> = { "main.ts": main! };
  for (let at = 0; at + 1 < others.length; at += 2) files[others[at]!] = others[at + 1]!;
  return { entry: "main.ts", files };
}

/** Checks random bodies until one fails, and shrinks that one. Null when none did. */
export function search(options: SearchOptions, rejections: RejectionTracker): Promise<Failure | null> {
  return searchIn(new BodyArbitrary(), options, rejections);
}

/** Shrinks a body that is known to fail. */
export function shrink(
  body: Body,
  restored: number,
  timeLimitMs: number,
  rejections: RejectionTracker,
): Promise<Failure | null> {
  const options = {
    seed: 1,
    bodies: 1,
    timeLimitMs,
    onChecked: () => undefined,
    isKnown: () => false,
    restored: () => restored,
  };
  return searchIn(new FixedBody(body), options, rejections);
}

async function searchIn(
  bodies: fc.Arbitrary<Body>,
  options: SearchOptions,
  rejections: RejectionTracker,
): Promise<Failure | null> {
  let first: Finding | null = null;
  let smallest: Failure | null = null;
  const property = fc.asyncProperty(bodies, async (body) => {
    const isShrinking = first !== null;
    const checked = await checkSource(
      body,
      rejections,
      first === null ? options.restored(body) : Number(first.restored),
    );
    if (!isShrinking) options.onChecked(body, checked);
    const found = checked.findings.find((finding) => finding.kind !== "wording" && isSame(finding, first));
    if (found === undefined || (!isShrinking && options.isKnown(found))) return true;
    first ??= found;
    smallest = { finding: found, body };
    return false;
  });
  await fc.check(property, {
    seed: options.seed,
    numRuns: options.bodies,
    interruptAfterTimeLimit: options.timeLimitMs,
    markInterruptAsFailure: false,
  });
  return smallest;
}

/** Every third body is restored at every instruction as well. */
export function restoredRuns({ seed }: Body): number {
  return Math.abs(seed) % 3 === 0 ? 1 : 0;
}

function isSame(finding: Finding, other: Finding | null): boolean {
  return other === null || (finding.kind === other.kind && finding.key === other.key);
}
