import { type ActionContext, currentCall } from "./action-context.ts";
import { type Dependency, depends, type Needs } from "./dependency.ts";
import { SecretMissing } from "./errors.ts";

/** Secrets by name. */
export type GivenSecrets = ReadonlyMap<string, string>;

/** Registered: a tool and a project may have a copy of this package each. */
const SECRET = Symbol.for("cairnjs.secret");
const NAME = /^[A-Za-z0-9._-]{1,200}$/;
/** That one action needs. */
const SECRETS_MAX = 10;

/**
 * A secret that an action needs, by its name: `needs: { password: secret("smtp-password") }`. Whoever runs the call is given it for
 * this call alone; the handler gets its text.
 */
export function secret(name: string): Dependency<string> {
  if (typeof name !== "string" || !NAME.test(name)) {
    throw new TypeError("secret() takes the name of a secret: 1 to 200 letters, digits, dots, hyphens and underscores");
  }
  const provider = (): string => secretOfCall(name);
  Object.defineProperty(provider, "name", { value: `secret ${name}` });
  Object.defineProperty(provider, SECRET, { value: name });
  return depends(provider);
}

/** The names of the secrets that an action needs, also for what it needs. */
export function secretNames(action: string, needs: Needs | undefined): readonly string[] {
  if (needs === undefined) return NONE;
  const names = new Set<string>();
  const visit = (each: Needs): void => {
    for (const { provider, needs: inner } of Object.values(each)) {
      const name = (provider as { readonly [SECRET]?: string })[SECRET];
      if (name !== undefined) names.add(name);
      visit(inner);
    }
  };
  visit(needs);
  if (names.size <= SECRETS_MAX) return [...names];
  throw new RangeError(`The action "${action}" needs ${names.size} secrets: at most ${SECRETS_MAX}`);
}

const NONE: readonly string[] = [];
const given = new WeakMap<ActionContext, GivenSecrets>();

/** For whoever runs actions: what this attempt may know. */
export function giveSecrets(context: ActionContext, secrets: GivenSecrets): void {
  given.set(context, secrets);
}

/** Undefined: it was given none. */
export function secretsGiven(context: ActionContext): GivenSecrets | undefined {
  return given.get(context);
}

function secretOfCall(name: string): string {
  const context = currentCall();
  const value = secretsGiven(context)?.get(name);
  if (value !== undefined) return value;
  throw new SecretMissing(
    `The action "${context.action}" needs the secret "${name}", and was not given it: set it by \`cairn secrets set ${name}\`; ` +
      `in a test, give testRun() \`secrets: { ${JSON.stringify(name)}: "…" }\`.`,
  );
}
