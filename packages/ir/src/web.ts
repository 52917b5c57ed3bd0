/** What runs anywhere, browsers included: nothing that this leads to imports a built-in module of Node.js. */
export { type DurationUnit, durationUnits, parseDuration, TIME_MAX } from "./duration.ts";
export * from "./values/index.ts";
