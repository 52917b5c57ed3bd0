export { cairn } from "./cairn.ts";
