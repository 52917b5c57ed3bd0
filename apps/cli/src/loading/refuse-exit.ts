/** While users' code runs, it may not end the process: the command would answer nothing, and look as if all went well. */
export async function withoutExit<T>(work: () => Promise<T>): Promise<T> {
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    throw new Error(`process.exit(${code ?? ""}) was called, which ends the worker: throw an error instead`);
  };
  try {
    return await work();
  } finally {
    process.exit = exit;
  }
}
