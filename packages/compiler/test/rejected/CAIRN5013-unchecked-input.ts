import { workflow } from "cairnjs";
import type { Foreign } from "package";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

const Order = z.object({ id: z.string() });
const Line = v.object({ sku: v.string() });
const Item = type({ sku: "string" });
type Named = Readonly<z.infer<typeof Order>>;
class Money {
  amount = 1;
}
const load = async () => 1;
const options = { input: Order };

export const a = workflow("a", async (order: z.infer<typeof Order>) => order);
export const b = workflow("b", { tags: ["x"] }, async (line: v.InferOutput<typeof Line>) => line);
export const c = workflow("c", async (item: typeof Item.infer) => item);
export const d = workflow("d", async ({ id }: Named) => id);
export const e = workflow("e", async (input: Foreign) => input);
export const f = workflow("f", async (input?: Foreign | null) => input);
export const g = workflow("g", async (money: Money) => money);
export const i = workflow("i", async (input: Awaited<ReturnType<typeof load>>) => input);
export const h = workflow("h", async (input: Foreign) => fetch(input));

export const fineSchema = workflow("fine.schema", { input: Order }, async (order: z.infer<typeof Order>) => order);
export const fineConstant = workflow("fine.constant", options, async (order: z.infer<typeof Order>) => order);
export const fineSpread = workflow("fine.spread", { ...options }, async (order: z.infer<typeof Order>) => order);
export const fineUnknown = workflow("fine.unknown", async (input: unknown) => input);
export const fineAny = workflow("fine.any", async (input: any | undefined) => input);
export const fineNothing = workflow("fine.nothing", async () => 1);
export const finePart = workflow("fine.part", async (input: { order: Foreign }) => input);
export const fineList = workflow("fine.list", async (input: Foreign[]) => input);
export const fineParameter = workflow("fine.parameter", async <T>(input: T) => input);
export const fineImplicit = workflow("fine.implicit", async (input) => input);
