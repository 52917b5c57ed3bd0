import { CannotRun } from "./cannot-run.ts";

/** The command was called wrongly: exit code 2, so that scripts can tell it from problems that were found. */
export class UsageMistake extends CannotRun {}
