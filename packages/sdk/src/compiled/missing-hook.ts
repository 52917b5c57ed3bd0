/** What a process looks like from inside. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execArgv: readonly string[];
}

/** What is known of a workflow that has no program. */
export interface NotCompiledWorkflow {
  readonly name: string;
  /** Where it is declared; null: in a bundle, together with this package. */
  readonly file: string | null;
  /** Whether that is a CommonJS module, which hooks do not look into. */
  readonly isCommonJs: boolean;
  /** Whether other workflows of this process were compiled, so that a hook is at work. */
  readonly othersAreCompiled: boolean;
}

/** Why a workflow has no program, for people, and what to do. */
export function missingHook(workflow: NotCompiledWorkflow, surroundings: Surroundings): string {
  const { name, file, isCommonJs, othersAreCompiled } = workflow;
  const what = `The workflow "${name}" was not compiled`;
  if (!othersAreCompiled && !isRegistered(surroundings)) {
    return `${what}: its module was loaded without Cairn's hook. ${adviceFor(surroundings)}`;
  }
  if (file === null || /[/\\]node_modules[/\\]/.test(file)) {
    return `${what}: it seems to come out of a bundle or a package. Add the plugin of \`cairnjs/plugin\` to what built it.`;
  }
  if (isCommonJs && !isTestRunner(surroundings)) {
    return `${what}: ${file} is a CommonJS module. Make it an ES module: \`import\` and \`export\` in a file that ends in .ts, .mts or .mjs.`;
  }
  return (
    `${what}: it is not declared at the top level of ${file}. ` +
    `Declare it there as a constant, \`export const … = workflow(${JSON.stringify(name)}, …)\`, ` +
    "and not inside an object, a class, a function or a condition." +
    (isTestRunner(surroundings) ? " Or the configuration of the tests keeps Cairn's hook from this file." : "")
  );
}

/** A test runner transforms modules itself, so that `--import` would not reach them. */
function adviceFor({ env }: Surroundings): string {
  if (env["VITEST"] !== undefined) {
    return 'Add `plugins: [cairn.vite()]` to vitest.config.ts, with `import cairn from "cairnjs/plugin"`.';
  }
  if (env["JEST_WORKER_ID"] !== undefined) {
    return 'Add `transform: { "\\\\.[cm]?[jt]sx?$": "cairnjs/jest" }` to the configuration of Jest.';
  }
  return "Start Node.js with `node --import cairnjs/register app.ts`, or, if a bundler built it, add the plugin of `cairnjs/plugin` there.";
}

function isRegistered({ env, execArgv }: Surroundings): boolean {
  if (isTestRunner({ env, execArgv })) return false;
  return [...execArgv, env["NODE_OPTIONS"] ?? ""].some((argument) => argument.includes("cairnjs/register"));
}

function isTestRunner({ env }: Surroundings): boolean {
  return env["VITEST"] !== undefined || env["JEST_WORKER_ID"] !== undefined;
}
