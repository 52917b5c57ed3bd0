/** Causes of causes, and errors in errors, are followed so far. */
const DEPTH_MAX = 16;

/** An error, what it was caused by, and what it collects. */
export function errorsIn(value: unknown): readonly Error[] {
  const found = new Set<Error>();
  const visit = (each: unknown, depth: number): void => {
    if (!(each instanceof Error) || found.has(each) || depth > DEPTH_MAX) return;
    found.add(each);
    visit(each.cause, depth + 1);
    for (const one of collectedIn(each)) visit(one, depth + 1);
  };
  visit(value, 0);
  return [...found];
}

/** A copy that was made by storing has no stack; in the process where the original is, it can have that one's. */
export function copyStacks(from: unknown, to: unknown, depth = 0): void {
  if (!(from instanceof Error) || !(to instanceof Error) || depth > DEPTH_MAX) return;
  setStack(to, stackOf(from));
  copyStacks(from.cause, to.cause, depth + 1);
  const collected = collectedIn(to);
  for (const [index, each] of collectedIn(from).entries()) copyStacks(each, collected[index], depth + 1);
}

/** As V8 has it: an own property, and not enumerable. */
export function setStack(error: Error, stack: string | null): void {
  if (stack === null) return;
  Object.defineProperty(error, "stack", { value: stack, configurable: true, writable: true, enumerable: false });
}

/** With the stack, into which V8 has written the message that the error was made with. */
export function setMessage(error: Error, message: string): void {
  const stack = stackOf(error);
  if (stack !== null)
    setStack(
      error,
      stack.replace(error.message, () => message),
    );
  Object.defineProperty(error, "message", { value: message, configurable: true, writable: true, enumerable: false });
}

/** Null where there is none: anything may have been put in its place. */
export function stackOf(error: Error): string | null {
  try {
    const { stack }: { stack?: unknown } = error;
    return typeof stack === "string" ? stack : null;
  } catch {
    return null;
  }
}

function collectedIn(error: Error): readonly unknown[] {
  const { errors } = error as { errors?: unknown };
  return Array.isArray(errors) ? errors : [];
}
