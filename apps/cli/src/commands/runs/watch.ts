import { setTimeout as delay } from "node:timers/promises";
import type { InputOfRun, LiveEvent, LiveStep, Page, RunOutcome, RunWithoutValues } from "@cairnjs/schemas/rest";
import type { CairnClient, FollowOptions } from "cairnjs/client";
import type { Output } from "../../output/output.ts";
import { oneLine } from "../../output/table.ts";
import type { RestClient } from "../../rest/rest-client.ts";
import { refusalOf, tellingLost } from "../../rest/watching.ts";
import { shownError, shownValue, stateText, tookText } from "./run-texts.ts";

/** When nothing has come for so long, it is looked what the run is about. */
const QUIET_MS = 100;
/** Of what the inputs say, in one request: of a run that has done much already, many come at once. */
const INPUTS_READ = 200;

/** `cairn runs watch ID`: what it does, until it has ended; 1 if it does not succeed. */
export async function watchRun(
  client: RestClient,
  id: string,
  flags: { readonly json?: true },
  output: Output,
): Promise<number> {
  const path = `/runs/${encodeURIComponent(id)}` as const;
  // Whoever mistypes it is told at once.
  await client.get<RunWithoutValues>(path, { values: false });
  const watch = new Watch(await client.live(), path, new Teller(flags.json === true, output));
  try {
    return await watch.untilEnded(output);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Owns: how far a run was told. */
class Watch {
  readonly #client: CairnClient;
  readonly #path: `/${string}`;
  readonly #tell: Teller;
  /** Those that were read and whose turn has not come, by their numbers. */
  readonly #inputs = new Map<number, InputOfRun>();
  #state = "";

  constructor(client: CairnClient, path: `/${string}`, tell: Teller) {
    this.#client = client;
    this.#path = path;
    this.#tell = tell;
  }

  /** One that has ended may live again before it was looked at how. */
  async untilEnded(output: Output): Promise<number> {
    const lost = tellingLost(output);
    for (let after: string | null = null; ;) {
      after = await this.#follow(after === null ? lost : { ...lost, after });
      const outcome = await this.#client.request<RunOutcome>("GET", `${this.#path}/result`);
      if (!["succeeded", "failed", "cancelled"].includes(outcome.status)) continue;
      this.#tell.ended(outcome);
      return outcome.status === "succeeded" ? 0 : 1;
    }
  }

  /** To the end of the stream. Returns where that was. */
  async #follow(options: FollowOptions): Promise<string | null> {
    let last = options.after ?? null;
    const events = this.#client.follow<LiveEvent>(`${this.#path}/stream`, {}, options);
    for (let isNew = false; ; isNew = true) {
      const next = events.next();
      // Something must have happened for it to be about something else.
      if (isNew && (await isQuiet(next))) await this.#look();
      const { done, value: event } = await next;
      if (done === true) return last;
      last = event.cursor;
      if (event.kind === "step") await this.#step(event.data as LiveStep, event.at);
      else this.#tell.event(event);
    }
  }

  async #look(): Promise<void> {
    const run = await this.#client.request<RunWithoutValues>("GET", this.#path, { query: { values: false } });
    const state = run.phase === null ? "" : stateText(run, Date.now());
    if (state !== "" && state !== this.#state) this.#tell.state(run, state);
    this.#state = state;
  }

  async #step(step: LiveStep, at: string): Promise<void> {
    if (!STEP_ENDS.has(step.kind)) return;
    if (!this.#inputs.has(step.number)) await this.#read(step.number);
    const input = this.#inputs.get(step.number);
    this.#inputs.delete(step.number);
    this.#tell.step(step, at, input);
  }

  async #read(number: number): Promise<void> {
    this.#inputs.clear();
    const query = { values: true, cursor: String(number - 1), limit: INPUTS_READ };
    const { items } = await this.#client.request<Page<InputOfRun>>("GET", `${this.#path}/history`, { query });
    for (const input of items) this.#inputs.set(input.number, input);
  }
}

async function isQuiet(next: Promise<unknown>): Promise<boolean> {
  const enough = new AbortController();
  const isOver = (): boolean => false;
  try {
    return await Promise.race([next.then(isOver, isOver), delay(QUIET_MS, true, { signal: enough.signal })]);
  } finally {
    enough.abort();
  }
}

/** Inputs that end a step of the run. */
const STEP_ENDS: ReadonlySet<string> = new Set(["result", "error", "timer", "signal"]);

/** One line for each thing. */
class Teller {
  readonly #isJson: boolean;
  readonly #output: Output;

  constructor(isJson: boolean, output: Output) {
    this.#isJson = isJson;
    this.#output = output;
  }

  event({ kind, data, cut, at }: LiveEvent): void {
    const text = data === null ? kind : `${kind} ${shownValue(data)}`;
    const facts = { is: "event", kind, data, ...(cut === true ? { cut } : {}), at };
    this.#say(facts, "·", this.#output.paint("dim", text));
  }

  /** Without an input, it was removed before it could be read. */
  step({ number, kind, call, node, name }: LiveStep, endedAt: string, input: InputOfRun | undefined): void {
    const isGood = kind !== "error";
    const mark = isGood ? this.#output.paint("green", "✓") : this.#output.paint("red", "✗");
    const { action = null, startedAt = null, ...said } = input ?? {};
    const title = action ?? name ?? "";
    const value = "value" in said ? { [isGood ? "result" : "error"]: said.value } : {};
    const end = "value" in said ? `→ ${isGood ? shownValue(said.value) : shownError(said.value)}` : "";
    const took = this.#output.paint("dim", tookText(startedAt, endedAt));
    const texts = [this.#output.paint("cyan", node ?? ""), title, end, took].filter((text) => text !== "");
    const status = isGood ? "succeeded" : "failed";
    const facts = { is: "step", number, kind, call, node, name: title, status, ...value, startedAt, endedAt };
    this.#say(facts, mark, texts.join(" "));
  }

  state({ status, phase, waitingFor }: RunWithoutValues, text: string): void {
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
