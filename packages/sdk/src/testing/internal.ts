// What Cairn's own tools share with `cairnjs/testing`. It may change with any release, and is no interface for others.
export { type Definitions, definitionsIn } from "./definitions-in.ts";
export type { EncodedStep, LogLine, RunEvent, RunObserver } from "./report.ts";
export { SLEEP } from "./report.ts";
export { type EncodedReport, runEncoded, runInMemory } from "./run-in-memory.ts";
export { callText, elapsed, errorTitle, eventText, logText } from "./telling.ts";
export type { FindAction } from "./tries.ts";
export { valueText } from "./value-text.ts";
