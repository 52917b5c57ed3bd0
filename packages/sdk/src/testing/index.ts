export { definitionsIn, type Definitions } from "./definitions-in.ts";
export { freezeCaptures, type FrozenCaptures } from "../frozen-captures.ts";
export {
  type ChildWorkflow,
  type EncodedReport,
  type FindAction,
  type RunOptions,
  type RunReport,
  runEncoded,
  runInMemory,
} from "./run-in-memory.ts";
export { type EncodedStep, type LogLine, type RunEvent, type RunObserver, SIGNAL, SLEEP, type Step } from "./report.ts";
export { RestoreDiffers } from "./machine-driver.ts";
export { Stuck } from "./stuck.ts";
