import { FileChanges } from "../checking/file-changes.ts";
import { findFiles, type FoundFiles } from "../checking/find-files.ts";
import { type Findings, findingsOf } from "../checking/findings.ts";
import { ModuleChecks } from "../checking/module-checks.ts";
import { reportJson, reportText } from "../checking/report.ts";
import type { Output } from "../output/output.ts";
import { UsageMistake } from "../usage-mistake.ts";

export interface CheckFlags {
  readonly json?: true;
  readonly watch?: true;
  readonly maxWarnings?: number;
  readonly quiet?: true;
}

/**
 * `cairn check [PATHS]`: 1 for errors, more warnings than allowed, a file that cannot be read, or a folder that has
 * nothing to check, which is a wrong path more often than a project without workflows.
 */
export async function checkCommand(given: readonly string[], flags: CheckFlags, output: Output): Promise<number> {
  const paths = given.length === 0 ? ["."] : given;
  const check = new Check(paths, flags, output);
  return flags.watch === true ? await watchProject(check, paths, output) : check.run(findFiles(paths), null);
}

/** Until the process is ended. */
async function watchProject(check: Check, paths: readonly string[], output: Output): Promise<never> {
  findFiles(paths);
  const changes = await FileChanges.open(paths);
  let changed: ReadonlySet<string> | null = null;
  for (;;) {
    output.clear();
    try {
      check.run(findFiles(paths), changed);
    } catch (error) {
      // A path that was given is gone; it may come back.
      if (!(error instanceof UsageMistake)) throw error;
      output.problem(error.message);
    }
    changes.follow(check.modules());
    check.tellWatching();
    changed = await changes.next();
  }
}

/** Checks a project, as often as it is asked, and tells what it found. */
class Check {
  readonly #checks = new ModuleChecks();
  readonly #paths: readonly string[];
  readonly #flags: CheckFlags;
  readonly #output: Output;

  constructor(paths: readonly string[], flags: CheckFlags, output: Output) {
    this.#paths = paths;
    this.#flags = flags;
    this.#output = output;
  }

  /** The exit code. `changed` is null when anything may have changed. */
  run(found: FoundFiles, changed: ReadonlySet<string> | null): number {
    const checks = this.#checks.update(found, changed, (done, all) => {
      if (done % PROGRESS_EVERY === 0) this.#output.status(`checking ${done} of ${all} files`);
    });
    this.#output.status("");
    const sourceOf = (path: string): string => this.#checks.source(path);
    const findings = findingsOf(checks, found.unreadable, sourceOf);
    const { json, quiet } = this.#flags;
    const shown = { quiet: quiet === true, sourceOf };
    if (json === true) reportJson(findings, shown, this.#output);
    else if (findings.files > 0 || isBad(findings)) reportText(findings, shown, this.#output);
    return this.#verdict(findings, found);
  }

  /** The files that the last check rests on. */
  modules(): ReadonlySet<string> {
    return this.#checks.modules();
  }

  tellWatching(): void {
    if (this.#flags.json !== true) this.#output.line(this.#output.paint("dim", "watching for changes"));
  }

  #verdict(findings: Findings, { files, named }: FoundFiles): number {
    const { maxWarnings } = this.#flags;
    if (findings.files === 0 && !isBad(findings)) {
      const isOnlyNamed = files.length > 0 && files.length === named.size;
      this.#output.problem(`nothing to check: no file in ${this.#paths.join(", ")} imports cairnjs`);
      return isOnlyNamed ? 0 : 1;
    }
    const isTooMany = maxWarnings !== undefined && findings.warnings > maxWarnings;
    if (isTooMany)
      this.#output.problem(`more warnings than --max-warnings ${maxWarnings} allows: ${findings.warnings}`);
    return isBad(findings) || isTooMany ? 1 : 0;
  }
}

/** Files between two signs of life. */
const PROGRESS_EVERY = 20;

function isBad({ errors, unreadable }: Findings): boolean {
  return errors > 0 || unreadable.length > 0;
}
