import { z } from "zod";
import { Namespace } from "../text.ts";

/** Of the items of one answer. */
export const PAGE_MAX = 1_000;
const PAGE_DEFAULT = 50;
/** Some have two names, as JSON writes them. */
export const CURSOR_LENGTH_MAX = 10_000;

/** What every request may say in its query: a header `cairn-namespace` says the same. */
export const InNamespace = z.strictObject({ namespace: z.exactOptional(Namespace) });

/** Of one name in a query. */
const SEVERAL_MAX = 50;
const WHOLE = /^\d{1,12}$/;

/** A whole number in a query, where everything is a text; for those who read its JSON Schema, a number. */
export function queryNumber(least: number, most: number, usual?: number): z.ZodType<number, string> {
  const error = `must be a whole number from ${least} to ${most}`;
  const about = { type: "integer", minimum: least, maximum: most } as const;
  return z
    .string(error)
    .refine((text) => WHOLE.test(text) && Number(text) >= least && Number(text) <= most, error)
    .transform(Number)
    .meta(usual === undefined ? about : { ...about, default: usual });
}

/** Some of these, in a query. */
export function oneOrSeveral<const Items extends readonly [string, ...string[]]>(items: Items) {
  const error = `must be one of ${items.join(", ")}, or several: with commas between, or by giving the name several times`;
  return z
    .union([z.string(), z.array(z.string()).min(1).max(SEVERAL_MAX)], error)
    .transform((given) => [given].flat().flatMap((text) => text.split(",")))
    .pipe(z.array(z.enum(items, error)))
    .meta({ type: "array", items: { enum: [...items] }, minItems: 1 });
}

/** What every list may be asked: so many items, after those of an earlier answer. */
export const InPages = z.strictObject({
  ...InNamespace.shape,
  limit: queryNumber(1, PAGE_MAX, PAGE_DEFAULT).default(PAGE_DEFAULT).describe("How many items"),
  cursor: z.exactOptional(z.string().max(CURSOR_LENGTH_MAX).describe("The `next` of the answer before")),
});

/** In which order a list is answered: by one of these fields, with a minus the other way round. A cursor belongs to an order. */
export function sortedBy<const Field extends string>(
  fields: readonly Field[],
  usual: NoInfer<Order<Field>>,
): z.ZodDefault<z.ZodEnum<{ [Each in Order<Field>]: Each }>> {
  const orders: readonly string[] = fields.flatMap((field) => [field, `-${field}`]);
  const order = z.enum(orders, `must be one of ${orders.join(", ")}`).default(usual);
  return order as unknown as z.ZodDefault<z.ZodEnum<{ [Each in Order<Field>]: Each }>>;
}
type Order<Field extends string> = Field | `-${Field}`;

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** What to give as `cursor` for those behind; null: these were the last. */
  readonly next: string | null;
}

export function pageOf<Item extends z.ZodType>(
  item: Item,
): z.ZodObject<{ items: z.ZodArray<Item>; next: z.ZodNullable<z.ZodString> }, z.core.$strict> {
  return z.strictObject({ items: z.array(item), next: z.string().nullable() });
}
