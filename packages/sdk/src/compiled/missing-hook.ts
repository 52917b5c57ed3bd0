/** What a process looks like from inside. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execArgv: readonly string[];
}

/**
 * Why a workflow has no program, for people: it names the hook that this process lacks. A test runner transforms
 * modules itself, so that `--import` would not reach them.
 */
export function missingHook(workflow: string, { env, execArgv }: Surroundings): string {
  const what = `The workflow "${workflow}" was not compiled: its module was loaded without Cairn's hook.`;
  if (env["VITEST"] !== undefined) {
    return `${what} Add \`plugins: [cairn.vite()]\` to vitest.config.ts, with \`import cairn from "cairnjs/plugin"\`.`;
  }
  if (env["JEST_WORKER_ID"] !== undefined) {
    return `${what} Add \`transform: { "\\\\.[cm]?[jt]sx?$": "cairnjs/jest" }\` to the configuration of Jest.`;
  }
  const registered = [...execArgv, env["NODE_OPTIONS"] ?? ""].some((argument) => argument.includes("cairnjs/register"));
  if (registered) {
    return `${what} It seems to come out of a bundle or a package: add the plugin of \`cairnjs/plugin\` to what built it.`;
  }
  return `${what} Start Node.js with \`node --import cairnjs/register app.ts\`, or, if a bundler built it, add the plugin of \`cairnjs/plugin\` there.`;
}
