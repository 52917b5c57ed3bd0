const cleanups: (() => Promise<void>)[] = [];

/** After the test, the last one first. */
export function cleanUp(cleanup: () => Promise<void>): void {
  cleanups.push(cleanup);
}

export async function cleanAllUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}
