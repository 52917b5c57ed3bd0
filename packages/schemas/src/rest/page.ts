import { z } from "zod";
import { Namespace } from "../text.ts";

/** Of the items of one answer. */
export const PAGE_MAX = 1_000;
const PAGE_DEFAULT = 50;

/** What every request may say in its query: a header `cairn-namespace` says the same. */
export const InNamespace = z.strictObject({ namespace: z.exactOptional(Namespace) });

const WHOLE = /^\d{1,12}$/;

/** A whole number in a query, where everything is a text. */
export function queryNumber(least: number, most: number): z.ZodType<number, string> {
  const error = `must be a whole number from ${least} to ${most}`;
  return z
    .string(error)
    .refine((text) => WHOLE.test(text) && Number(text) >= least && Number(text) <= most, error)
    .transform(Number);
}

/** What every list may be asked: so many items, after those of an earlier answer. */
export const InPages = z.strictObject({
  ...InNamespace.shape,
  limit: queryNumber(1, PAGE_MAX).default(PAGE_DEFAULT),
  /** The `next` of the answer before. */
  cursor: z.exactOptional(z.string().max(1_000)),
});

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
