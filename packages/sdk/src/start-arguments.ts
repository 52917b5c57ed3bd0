/** What it takes to start a workflow. */
export type StartArguments<Args extends [input?: unknown], Options> = Args extends []
  ? [input?: undefined, options?: Options]
  : [...Args, options?: Options];

/** Nothing is of this type: whoever starts such an action is told what a job is. */
interface AJobHasOnePayload {
  readonly "~takes": never;
}

/** A job is a call with its payload as the one argument. */
export type JobArguments<Args extends unknown[], Options> = Args extends []
  ? [payload?: undefined, options?: Options]
  : [] extends Args
    ? [payload?: Args[0], options?: Options]
    : [Args[0]] extends Args
      ? [payload: Args[0], options?: Options]
      : [payload: AJobHasOnePayload];
