import type { ActionLog } from "./action-context.ts";
import type { NamedNeeds, Need } from "./dependency.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * Makes what is needed, does the work with it, and disposes of it, whatever came of the work.
 *
 * I1 Each provider is called once, as soon as what it needs itself is there; independent ones at the same time.
 * I2 What was made is disposed of in reverse order, one at a time, after everything has been made or has failed.
 *    A generator runs on either way, and is told of the error: its `yield` gives `{ error }`, or undefined.
 * I3 The error of the work stays the error. What goes wrong while disposing after it becomes its `suppressed`; after
 *    work that went well it is the error.
 */
export async function withNeeds<T>(
  needs: NamedNeeds,
  log: ActionLog,
  work: (values: Values) => Promise<T>,
): Promise<T> {
  const made: Made[] = [];
  let result: T;
  try {
    result = await work(await resolve(needs, made));
  } catch (error) {
    suppress(error, await dispose(made, { error }), log);
    throw error;
  }
  const errors = await dispose(made, undefined);
  if (errors.length > 1) throw new AggregateError(errors, "Several dependencies could not be disposed of");
  if (errors.length === 1) throw errors[0];
  return result;
}

interface Made {
  readonly value: unknown;
  /** Undefined where there is nothing to be done. */
  readonly dispose: ((failure: Failure | undefined) => unknown) | undefined;
}

/** What came of work that failed. */
export interface Failure {
  readonly error: unknown;
}

async function resolve(needs: NamedNeeds, made: Made[]): Promise<Values> {
  const values = new Map<Need, Promise<unknown>>();
  const valuesOf = async (wanted: NamedNeeds): Promise<Values> => {
    const entries = wanted.map(async ([name, need]) => [name, await valueOf(need)] as const);
    return Object.fromEntries(await Promise.all(entries));
  };
  const valueOf = (need: Need): Promise<unknown> => {
    const known = values.get(need);
    if (known !== undefined) return known;
    const value = valuesOf(need.needs).then(async (given) => {
      const one = await make(need, given);
      made.push(one);
      return one.value;
    });
    values.set(need, value);
    return value;
  };
  try {
    return await valuesOf(needs);
  } catch (error) {
    // Others may still be on their way; they are to be disposed of too.
    await Promise.allSettled(values.values());
    throw error;
  }
}

async function make({ provider, label }: Need, given: Values): Promise<Made> {
  const returned: unknown = provider(given as never);
  if (!isGenerator(returned)) {
    const value = await returned;
    return { value, dispose: disposerOf(value) };
  }
  const first = await returned.next(undefined);
  if (first.done === true) {
    throw new TypeError(`The provider ${label} has ended without a value. Let it yield one.`);
  }
  return { value: first.value, dispose: (failure) => finish(returned, label, failure) };
}

type AnyGenerator =
  | Generator<unknown, unknown, Failure | undefined>
  | AsyncGenerator<unknown, unknown, Failure | undefined>;

/** By its methods: what a compiler made of a generator for an old target has no class to be known by. */
function isGenerator(value: unknown): value is AnyGenerator {
  if (typeof value !== "object" || value === null || !(Symbol.iterator in value || Symbol.asyncIterator in value)) {
    return false;
  }
  return "next" in value && "return" in value && "throw" in value;
}

/** The second half of a provider: what stands behind its `yield`. */
async function finish(generator: AnyGenerator, label: string, failure: Failure | undefined): Promise<void> {
  const end = await generator.next(failure);
  if (end.done === true) return;
  await generator.return(undefined);
  throw new TypeError(`The provider ${label} has yielded twice. Let it yield one value.`);
}

function disposerOf(value: unknown): (() => unknown) | undefined {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  const { [Symbol.asyncDispose]: asyncDispose, [Symbol.dispose]: dispose } = value as Partial<
    AsyncDisposable & Disposable
  >;
  return (asyncDispose ?? dispose)?.bind(value as AsyncDisposable & Disposable);
}

async function dispose(made: readonly Made[], failure: Failure | undefined): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  for (const { dispose } of [...made].reverse()) {
    try {
      await dispose?.(failure);
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

function suppress(error: unknown, suppressed: readonly unknown[], log: ActionLog): void {
  if (suppressed.length === 0) return;
  if (error instanceof Error && Object.isExtensible(error)) Object.assign(error, { suppressed });
  else for (const each of suppressed) log.error("A dependency could not be disposed of", each);
}
