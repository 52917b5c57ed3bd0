export * as deep from "./deep.ts";
