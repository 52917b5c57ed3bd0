import { action, workflow } from "cairnjs";

const charge = action("charge", async (n: number) => n);

const NAME = "constant";

/** `.with({ id })` names the node, whatever TypeScript stands in between. */
export default workflow("fixed", async (n: number) => {
  await charge.with({ id: "plain" })(n);
  await (charge as any).with({ id: "as" })(n);
  await charge!.with({ id: "not-null" })(n);
  await ((charge as any)! satisfies unknown as any).with({ id: "several" })(n);
  await charge.with!({ id: "called" })(n);
  await charge.with({ id: NAME } as const)(n);
  await charge.with({ timeout: 1 })(n);
});
