/** Objects within objects that are shown. */
const DEPTH_MAX = 20;

/** Values of a program as people see them, as JSON: what it has no word for is a text. */
export function shownJson(value: unknown, around: readonly object[] = []): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (value === undefined) return "undefined";
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null) return value;
  if (around.includes(value) || around.length >= DEPTH_MAX) return "…";
  const inside = (part: unknown): unknown => shownJson(part, [...around, value]);
  if (Array.isArray(value)) return value.map(inside);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof Map) return { Map: [...value].map(inside) };
  if (value instanceof Set) return { Set: [...value].map(inside) };
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${value.byteLength})`;
  if (value instanceof RegExp || value instanceof URL) return String(value);
  if (typeof (value as { toJSON?: unknown }).toJSON === "function")
    return inside((value as { toJSON(): unknown }).toJSON());
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inside(part)]));
}
