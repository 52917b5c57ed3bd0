import { createHash, randomFillSync } from "node:crypto";

const CHANCE_BYTES = 10;
/** Drawn for many ids at once: a call of the system for each would cost more than the id. */
const pool = Buffer.alloc(CHANCE_BYTES * 512);
let drawn = pool.length;

/** UUIDs of version 7: they begin with the time in milliseconds, so runs are stored in the order they were started. */
export function newRunId(atMs: number): string {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  drawn += CHANCE_BYTES;
  return uuid7(atMs, pool.subarray(drawn - CHANCE_BYTES, drawn));
}

/**
 * The id of a child is a function of the call and the input that start it: a transition that is repeated starts the same
 * one, and a call that is made again, since the run was rolled back, another one.
 */
export function childRunId(atMs: number, parent: string, call: string, input: number): string {
  return uuid7(atMs, createHash("sha256").update(`${parent}/${call}/${input}`).digest().subarray(0, 10));
}

function uuid7(atMs: number, chance: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(atMs, 0, 6);
  bytes.set(chance, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The smallest of a point in time, as SQL's `cairn.id_from_time` has it. */
export function firstRunId(atMs: number): string {
  const hex = Math.max(0, atMs).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** In upper case too, as Postgres reads them; ours are in lower case. */
const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export function isRunId(text: string): boolean {
  return UUID_7.test(text);
}

/** Milliseconds since the epoch. */
export function timeOfRunId(id: string): number {
  return Number.parseInt(id.replace("-", "").slice(0, 12), 16);
}
