/** Runs the modules that it is given, in the order given. */
const results: unknown[] = [];
for (const file of process.argv.slice(2)) {
  const { run } = (await import(new URL(`dist/${file}`, import.meta.url).href)) as { run: () => Promise<unknown[]> };
  results.push(await run().catch((error: unknown) => String(error)));
}
console.log(JSON.stringify(results));
