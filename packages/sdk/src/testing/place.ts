import { encodeNative } from "@cairnjs/ir";
import { type Durable, nameOf } from "./name-of.ts";
import { type EncodedStep, SIGNAL } from "./report.ts";

/** Where a run is: a node's id; an action, child workflow or signal, or the name of one. */
export type Place = string | Durable | NamedSignal;

interface NamedSignal {
  readonly name: string;
  wait(): Promise<unknown>;
}

export function isAt(place: Place, { node, action, args }: EncodedStep): boolean {
  const name = placeName(place);
  if (action === SIGNAL && args === encodeNative([name])) return true;
  return action === name || node === name;
}

export function placeName(place: Place): string {
  return typeof place === "object" ? place.name : nameOf(place);
}
