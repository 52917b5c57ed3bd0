/** Source texts of interesting values. */
export * from "./object-pools.ts";
export * from "./primitive-pools.ts";
