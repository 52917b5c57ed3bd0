import { type Duration, durationMs } from "../options.ts";
import { type Durable, nameOf } from "./name-of.ts";

/** Plays an action, or a child workflow, in test runs. */
export interface Mock<Args extends unknown[] = unknown[]> extends AnyMock {
  /** Arguments of every try, in order, over all runs that the mock was given to. */
  readonly calls: readonly Args[];
}

/** What a test run needs of a mock. */
export interface AnyMock {
  /** Of the action or workflow. */
  readonly name: string;
  /** In virtual time, for each try. */
  readonly takesMs: number;
  /** What becomes of try number `nth` of a run, from 1. */
  reply(nth: number): Reply;
  /** A try with these arguments begins. */
  record(args: readonly unknown[]): void;
}

type Reply =
  | { readonly kind: "play"; readonly play: (...args: never[]) => unknown }
  /** As if there were no mock. */
  | { readonly kind: "real" }
  | { readonly kind: "never" };

export interface MockOptions {
  /** How long each try takes, in virtual time: a `timeout` that is shorter comes first. */
  readonly takes?: Duration;
}

export interface FailOptions extends MockOptions {
  /** Only that many tries of a run fail; from then on the action runs for real, or `then` is called. */
  readonly times?: number;
}

type Player<Args extends unknown[], Result> = (...args: Args) => Result | Promise<Result>;

/** Plays the action with a function, whose types are the action's own. */
export function mock<Args extends unknown[], Result>(
  action: Durable<Args, Result>,
  play: Player<NoInfer<Args>, NoInfer<Result>>,
  options: MockOptions = {},
): Mock<Args> {
  return newMock(action, options, () => ({ kind: "play", play }));
}

/** The action gives this value, each time. */
mock.resolves = <Args extends unknown[], Result>(
  action: Durable<Args, Result>,
  value: NoInfer<Result>,
  options: MockOptions = {},
): Mock<Args> => mock<Args, Result>(action, async () => value, options);

/** The action throws: each time, or the first `times` tries of a run. */
mock.fails = <Args extends unknown[], Result>(
  action: Durable<Args, Result>,
  error: unknown,
  {
    times = Number.POSITIVE_INFINITY,
    then,
    ...options
  }: FailOptions & {
    readonly then?: Player<NoInfer<Args>, NoInfer<Result>>;
  } = {},
): Mock<Args> => {
  const fail: Reply = { kind: "play", play: () => Promise.reject(error) };
  const after: Reply = then === undefined ? { kind: "real" } : { kind: "play", play: then };
  return newMock(action, options, (nth) => (nth <= times ? fail : after));
};

/** The action never ends: its `timeout` comes first, if it has one. */
mock.never = <Args extends unknown[]>(action: Durable<Args>): Mock<Args> =>
  newMock(action, {}, () => ({ kind: "never" }));

/** For a mock that was given by name alone. */
export function mockByName(name: string, play: (...args: never[]) => unknown): AnyMock {
  return { name, takesMs: 0, reply: () => ({ kind: "play", play }), record: () => {} };
}

function newMock<Args extends unknown[]>(
  action: Durable<Args>,
  { takes = 0 }: MockOptions,
  reply: (nth: number) => Reply,
): Mock<Args> {
  const takesMs = durationMs(takes);
  if (!(takesMs >= 0)) throw new RangeError('`takes` is no duration. Write milliseconds, or such as "5 s".');
  const calls: Args[] = [];
  return { name: nameOf(action), takesMs, calls, reply, record: (args) => void calls.push(args as Args) };
}

export function isMock(value: unknown): value is AnyMock {
  return typeof value === "object" && value !== null && "reply" in value && "takesMs" in value;
}
