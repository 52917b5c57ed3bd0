import { decodeNative } from "@cairnjs/ir";
import { codecs } from "../codec.ts";
import { type EncodedStep, type LogLine, type RunEvent, SLEEP } from "./report.ts";
import { elementsText, valueText } from "./value-text.ts";

/** `mail.send("ada@example.com")`. */
export function callText({ action, args }: EncodedStep): string {
  if (action !== SLEEP) return `${action}(${elementsText(args)})`;
  const [until] = decodeNative(args) as [Date];
  return `${action}(until ${until.toISOString()})`;
}

export function logText({ level, args }: LogLine): string {
  return `${level} ${elementsText(args)}`;
}

export function eventText(event: RunEvent): string {
  switch (event.kind) {
    case "progress":
      return `progress ${valueText(event.value)}`;
    case "emit":
      return `emit ${event.type} ${valueText(event.data)}`;
    case "compensation":
      return `to undo: ${event.action}(${elementsText(event.args)})`;
    case "compensationFailed":
      return `could not undo ${event.node}: ${errorTitle(event.error)}`;
    case "abandoned":
      return `abandoned ${event.node}`;
    case "detachedFailed":
      return `${event.workflow} ${event.id} failed: ${errorTitle(event.error)}`;
    case "warning":
      return event.code === "UnhandledRejection"
        ? `nobody handled the rejection ${errorTitle(event.detail)}`
        : `${event.detail === '""' ? "an async function without a name" : event.detail} was still waiting`;
  }
}

/** `PaymentError: declined`, or the value if something else was thrown. */
export function errorTitle(text: string): string {
  const value = decodeNative(text, { codecs: codecs() });
  if (!(value instanceof Error)) return valueText(text);
  return value.message === "" ? value.name : `${value.name}: ${value.message}`;
}

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
  ["ms", 1],
];

/** In the largest two units that say it. */
export function elapsed(ms: number): string {
  const parts: string[] = [];
  let left = ms;
  for (const [name, unit] of UNITS) {
    const count = Math.floor(left / unit);
    left -= count * unit;
    if (count > 0) parts.push(`${count} ${name}${count === 1 || name === "ms" ? "" : "s"}`);
  }
  return parts.slice(0, 2).join(" ");
}
