import { action, currentCall, workflow } from "cairnjs";

/** One execution of the action below. */
export interface Execution {
  readonly key: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  succeed(value: string): void;
  fail(error: Error): void;
}

/** Executions, in the order they began: tests end them. */
export const executions: Execution[] = [];

const held = action("held.work", { retry: { attempts: 3, baseMs: 1, capMs: 1 } }, async (key: string) => {
  const { attempt, idempotencyKey, signal } = currentCall();
  return await new Promise<string>((succeed, fail) => {
    executions.push({ key, attempt, idempotencyKey, signal, succeed, fail });
  });
});

export const holding = workflow("held.one.v1", async (key: string) => await held(key));

export const holdingTwo = workflow("held.two.v1", async (key: string) => {
  const both = await Promise.all([held(`${key}/a`), held(`${key}/b`)]);
  return both.join(" ");
});

/** Its third call is one of whichever branch comes first. */
export const branching = workflow("held.branching.v1", async (key: string) => {
  const branch = async (name: string): Promise<string> => {
    const first = await held(`${key}/${name} first`);
    return `${first} ${await held(`${key}/${name} second`)}`;
  };
  return (await Promise.all([branch("a"), branch("b")])).join(", ");
});

export const holdingChild = workflow("held.child.v1", async (key: string) => await holding(key));
