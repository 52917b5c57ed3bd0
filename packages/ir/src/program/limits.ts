/**
 * What a program may measure. Far above what people write, low enough that a hostile program is refused before
 * it costs memory or time worth mentioning.
 */
export const programLimits = {
  functionsMax: 50_000,
  constantsMax: 500_000,
  intrinsicsMax: 10_000,
  hostsMax: 10_000,
  durablesMax: 100_000,
  classesMax: 10_000,
  globalsMax: 100_000,
  nodesMax: 100_000,
  edgesMax: 500_000,
  stepsMax: 10_000,
  withinMax: 1_000,
  filesMax: 10_000,
  linesMax: 1_000_000,
  codeLengthMax: 4_000_000,
  codeLengthTotalMax: 16_000_000,
  registersMax: 65_535,
  capturesMax: 65_535,
  handlersMax: 65_535,
  textsMax: 1_000_000,
  spansMax: 8_000_000,
  variablesMax: 1_000_000,
  nameLengthMax: 10_000,
  stringLengthMax: 16_000_000,
  bigintDigitsMax: 1_000_000,
  /** Register states that the verifier may look at, for the whole program. About 2 ns each. */
  verifyStatesMax: 400_000_000,
} as const;
