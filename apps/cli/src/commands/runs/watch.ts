import { setTimeout as delay } from "node:timers/promises";
import type { EventOfRun, RunDetails, RunOutcome, StepOfRun } from "@cairnjs/schemas/rest";
import type { CannotRun } from "../../cannot-run.ts";
import type { Output } from "../../output/output.ts";
import { oneLine } from "../../output/table.ts";
import { NoAnswer, Refusal, type RestClient } from "../../rest/rest-client.ts";
import { shownError, shownValue, stateText, tookText } from "./run-texts.ts";

/** How long each request waits for the end; then it is looked what has happened. */
const LOOK_EVERY_MS = 1_000;
const TRY_AGAIN_MS = 500;

/** What was told already. */
interface Told {
  readonly steps: Set<string>;
  lastEvent: number;
  state: string;
}

/** `cairn runs watch ID`: what it does, until it has ended; 1 if it does not succeed. */
export async function watchRun(
  client: RestClient,
  id: string,
  flags: { readonly json?: true },
  output: Output,
): Promise<number> {
  const path = `/runs/${encodeURIComponent(id)}`;
  const told: Told = { steps: new Set(), lastEvent: 0, state: "" };
  const tell = new Teller(flags.json === true, output);
  // Whoever mistypes it is told at once.
  await client.get<RunDetails>(path);
  for (let isAway = false; ;) {
    try {
      const outcome = await client.get<RunOutcome>(`${path}/result`, { waitMs: isAway ? 0 : LOOK_EVERY_MS });
      isAway = false;
      await look(client, path, told, tell);
      if (["succeeded", "failed", "cancelled"].includes(outcome.status)) {
        tell.ended(outcome);
        return outcome.status === "succeeded" ? 0 : 1;
      }
    } catch (error) {
      if (!mayChange(error)) throw error;
      if (!isAway) output.note(`${error.message}; it is tried again`);
      isAway = true;
      await delay(TRY_AGAIN_MS);
    }
  }
}

/** The control plane is gone, or going, or has no database: another one may be there soon. */
function mayChange(error: unknown): error is CannotRun {
  return error instanceof NoAnswer || (error instanceof Refusal && ["Closed", "Unavailable"].includes(error.code));
}

async function look(client: RestClient, path: string, told: Told, tell: Teller): Promise<void> {
  const events = client.list<EventOfRun>(`${path}/events`, { cursor: told.lastEvent });
  for await (const event of events) {
    told.lastEvent = event.id;
    tell.event(event);
  }
  for await (const step of client.list<StepOfRun>(`${path}/steps`)) {
    if (step.status === "open" || told.steps.has(step.call)) continue;
    told.steps.add(step.call);
    tell.step(step);
  }
  const run = await client.get<RunDetails>(path);
  const state = run.phase === null ? "" : stateText(run, Date.now());
  if (state !== "" && state !== told.state) tell.state(run, state);
  told.state = state;
}

/** One line for each thing. */
class Teller {
  readonly #isJson: boolean;
  readonly #output: Output;

  constructor(isJson: boolean, output: Output) {
    this.#isJson = isJson;
    this.#output = output;
  }

  event({ kind, data, at }: EventOfRun): void {
    const text = data === null ? kind : `${kind} ${shownValue(data)}`;
    this.#say({ is: "event", kind, data, at }, "·", this.#output.paint("dim", text));
  }

  step(step: StepOfRun): void {
    const { node, name, status, startedAt, endedAt } = step;
    const isGood = status === "succeeded";
    const mark = isGood ? this.#output.paint("green", "✓") : this.#output.paint("red", "✗");
    const end = "error" in step ? shownError(step.error) : "result" in step ? shownValue(step.result) : status;
    const took = this.#output.paint("dim", tookText(startedAt, endedAt));
    this.#say({ is: "step", ...step }, mark, `${this.#output.paint("cyan", node)} ${name} → ${end} ${took}`.trimEnd());
  }

  state({ status, phase, waitingFor }: RunDetails, text: string): void {
    this.#say({ is: "state", status, phase, waitingFor }, "…", this.#output.paint("dim", text));
  }

  ended(outcome: RunOutcome): void {
    const isGood = outcome.status === "succeeded";
    const end = isGood ? shownValue(outcome.result) : shownError(outcome.error);
    const status = this.#output.paint(["bold", isGood ? "green" : "red"], outcome.status);
    this.#say({ is: "ended", ...outcome }, isGood ? "✓" : "✗", `${status} ${end}`);
  }

  #say(facts: object, mark: string, text: string): void {
    this.#output.line(this.#isJson ? JSON.stringify(facts) : `${mark} ${oneLine(text)}`);
  }
}
