import type { Failure } from "./with-needs.ts";

/**
 * What a provider may give: the value, a promise of it, or a generator that yields it and cleans up afterwards. To the
 * generator its `yield` gives what came of the work: `{ error }`, or undefined when it went well.
 */
type Provided<T> =
  | T
  | PromiseLike<T>
  | Generator<T, void, Failure | undefined>
  | AsyncGenerator<T, void, Failure | undefined>;

/** Gets what it needs itself, by name. */
type Provider = (needs: never) => unknown;

/** A value that is made for each invocation of an action that needs it. */
export interface Dependency<T> {
  readonly provider: (needs: never) => Provided<T>;
  readonly needs: Needs;
}

export type Needs = Readonly<Record<string, Dependency<unknown>>>;

/** What the names of `needs` stand for in the handler. */
export type Resolved<N extends Needs> = {
  readonly [Name in keyof N]: N[Name] extends Dependency<infer T> ? T : never;
};

type ValueOf<Returned> =
  Returned extends AsyncGenerator<infer T, unknown, unknown>
    ? T
    : Returned extends Generator<infer T, unknown, unknown>
      ? T
      : Awaited<Returned>;

const DEPENDENCY = Symbol.for("cairnjs.dependency");

/**
 * Something an action needs: a client, a connection, a configuration. The provider is called once per invocation of
 * the action, whoever needs it; what it gave is disposed of afterwards.
 */
export function depends<Returned>(provider: () => Returned): Dependency<ValueOf<Returned>>;
export function depends<Returned, N extends Needs>(
  provider: (needs: Resolved<N>) => Returned,
  options: { readonly needs: N },
): Dependency<ValueOf<Returned>>;
export function depends(provider: Provider, { needs = {} }: { readonly needs?: Needs } = {}): Dependency<unknown> {
  if (typeof provider !== "function") throw new TypeError("depends() takes a function that makes what is needed");
  const dependency = { provider, needs };
  Object.defineProperty(dependency, DEPENDENCY, { value: true });
  return dependency;
}

/** One provider and what it needs. In a plan each provider stands once. */
export interface Need {
  readonly provider: Provider;
  /** For messages: the provider's name, or the one it is needed by. */
  readonly label: string;
  readonly needs: NamedNeeds;
}

export type NamedNeeds = readonly (readonly [name: string, need: Need])[];

/** Finds out who needs whom. A circle, or a provider with two sets of needs, is a mistake of the declaration. */
export function planNeeds(action: string, needs: Needs): NamedNeeds {
  return new Planner(action).plan(needs, []);
}

class Planner {
  readonly #action: string;
  readonly #planned = new Map<Provider, { readonly need: Need; readonly declared: Needs }>();

  constructor(action: string) {
    this.#action = action;
  }

  plan(needs: Needs, path: readonly Need[]): NamedNeeds {
    return Object.entries(needs).map(([name, dependency]) => [name, this.#need(name, dependency, path)]);
  }

  #need(name: string, dependency: unknown, path: readonly Need[]): Need {
    const where = [...path.map(({ label }) => label), name].join(" → ");
    if (!isDependency(dependency)) {
      throw new TypeError(`The need ${where} of action "${this.#action}" is no dependency. Write depends(provider).`);
    }
    const { provider, needs } = dependency;
    const from = path.findIndex((each) => each.provider === provider);
    if (from !== -1) {
      const circle = [...path.slice(from), path[from]!].map(({ label }) => label).join(" → ");
      throw new TypeError(
        `What action "${this.#action}" needs goes in a circle: ${circle}. Let one of them do without the next.`,
      );
    }
    const known = this.#planned.get(provider);
    if (known !== undefined && !sameNeeds(known.declared, needs)) {
      throw new TypeError(
        `Action "${this.#action}" needs the provider ${known.need.label} in two ways, with different needs of its own. ` +
          "Declare it once, const it = depends(provider, { needs }), and use that everywhere.",
      );
    }
    if (known !== undefined) return known.need;
    const need = { provider, label: provider.name === "" ? name : provider.name, needs: [] as NamedNeeds };
    need.needs = this.plan(needs, [...path, need]);
    this.#planned.set(provider, { need, declared: needs });
    return need;
  }
}

function isDependency(value: unknown): value is Dependency<unknown> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, DEPENDENCY);
}

/** By provider: two `depends(getConfig)` are the same need. */
function sameNeeds(some: Needs, others: Needs): boolean {
  const names = Object.keys(some);
  if (names.length !== Object.keys(others).length) return false;
  return names.every((name) => Object.hasOwn(others, name) && some[name]!.provider === others[name]!.provider);
}
