export { compiledKey } from "./compiled-key.ts";
export { compiledWorkflow, registerSteps } from "./compiled-workflow.ts";
export type { EmbeddedModule, EmbeddedWorkflow } from "./embedded-module.ts";
