import { realpathSync } from "node:fs";
import { findModules } from "@cairnjs/worker";
import { findingsOf } from "../checking/findings.ts";
import { ModuleChecks } from "../checking/module-checks.ts";
import { reportJson, reportText } from "../checking/report.ts";
import type { Output } from "../output/output.ts";

/** Some may be gone since they were found: then there is another change. */
function existing(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

/** The modules that the worker loads, and what is wrong with them: said as `cairn check` says it. */
export class DevModules {
  readonly #given: readonly string[] | null;
  readonly #isJson: boolean;
  readonly #output: Output;
  readonly #checks = new ModuleChecks();

  constructor(given: readonly string[] | null, isJson: boolean, output: Output) {
    this.#given = given;
    this.#isJson = isJson;
    this.#output = output;
  }

  /** Whether they can be loaded. `changed` is null when anything may have changed. Rejects with `ModulesFailed` if there are none. */
  async check(changed: ReadonlySet<string> | null): Promise<boolean> {
    const files = (await findModules(this.#given, process.cwd())).flatMap(existing);
    const checks = this.#checks.update({ files, named: new Set(files), unreadable: [] }, changed, () => {});
    const sourceOf = (path: string): string => this.#checks.source(path);
    const findings = findingsOf(checks, [], sourceOf);
    const { diagnostics, errors, unreadable } = findings;
    const shown = { quiet: false, sourceOf };
    if (diagnostics.length + unreadable.length > 0) {
      if (this.#isJson) reportJson(findings, shown, this.#output);
      else reportText(findings, shown, this.#output);
    }
    return errors === 0 && unreadable.length === 0;
  }

  /** Files that workflows lead to, wherever they are. */
  followed(): ReadonlySet<string> {
    return this.#checks.modules();
  }
}
