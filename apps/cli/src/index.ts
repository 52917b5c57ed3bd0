export { cairn } from "./cairn.ts";
export type { CairnConfig, ConfigValue } from "./settings/known-settings.ts";
