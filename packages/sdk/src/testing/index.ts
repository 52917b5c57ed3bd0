export { definitionsIn, type Definitions } from "./definitions-in.ts";
export { freezeCaptures, type FrozenCaptures } from "../frozen-captures.ts";
export {
  type ChildWorkflow,
  type EncodedReport,
  type RunOptions,
  type RunReport,
  runEncoded,
  runInMemory,
} from "./run-in-memory.ts";
export { type EncodedStep, type LogLine, type RunEvent, type RunObserver, SIGNAL, SLEEP, type Step } from "./report.ts";
export { RestoreDiffers } from "./machine-driver.ts";
export { Stuck } from "./stuck.ts";
export type { FindAction } from "./tries.ts";
export { type Mocks, NotMocked } from "./cast.ts";
export type { InjectedCancellation, InjectedFailure } from "./failures.ts";
export { type FailOptions, type Mock, mock, type MockOptions } from "./mock.ts";
export type { RunStatus, RunView } from "./run-view.ts";
export { checkRestore, everySchedule, type OptionsForEach, type ScheduleOptions } from "./many-runs.ts";
export { callText, elapsed, errorTitle, eventText, logText, shortened } from "./telling.ts";
export type { TestArgs, TestOptions } from "./test-options.ts";
export { TestRun, testRun } from "./test-run.ts";
export type { TestStep } from "./test-step.ts";
export type { StepExpectation } from "./assertions.ts";
export type { Place } from "./place.ts";
