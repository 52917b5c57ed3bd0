import { readFileSync } from "node:fs";
import type { ESLint, Linter } from "eslint";
import { makeRules, recommendedSeverities } from "./rules.ts";

/** What the rules are called after in configurations: `cairn/language`. */
const NAMESPACE = "cairn";

interface CairnPlugin extends ESLint.Plugin {
  readonly configs: { readonly recommended: Linter.Config };
}

function makePlugin(): CairnPlugin {
  const recommended: Linter.Config = { name: `${NAMESPACE}/recommended`, rules: recommendedRules() };
  const plugin: CairnPlugin = {
    // oxlint takes the prefix of the rules from here.
    meta: { name: NAMESPACE, version: ownVersion() },
    rules: makeRules(),
    configs: { recommended },
  };
  recommended.plugins = { [NAMESPACE]: plugin };
  return plugin;
}

function recommendedRules(): Linter.RulesRecord {
  const severities = Object.entries(recommendedSeverities());
  return Object.fromEntries(severities.map(([name, severity]) => [`${NAMESPACE}/${name}`, severity]));
}

function ownVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

const plugin = makePlugin();
export default plugin;
