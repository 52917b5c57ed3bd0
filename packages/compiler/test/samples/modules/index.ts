export * from "./payments.ts";
export { RATE as rate } from "./rates.ts";
