import { action, workflow } from "cairnjs";

const charge = action("charge", async () => 1);
const renamed = charge;
const PREFIX = "charge";
const patient = charge.with({ id: "patient" });
const tools = { again: charge.with({ id: "again", timeout: 5 }), later: async () => await charge.with({ id: "later" })() };
const shared = { id: "shared", timeout: 5 };

export default workflow("ids", async ({ id, times }: { id: string; times: number }) => {
  await Promise.all([patient(), tools.again(), tools.later(), tools.again.with({ id: "third" })()]);
  const local = charge;
  await local.with({ id: "fourth" })();
  await charge.with({ timeout: 5 }).with({ id: "fifth" })();
  await renamed.with({ id: "sixth" })();
  await charge.with({ id })();
  await charge.with({ id: `${PREFIX}.${id}` })();
  await charge.with({ ["id"]: "first" })();
  await charge.with({ id: "" })();
  await charge.with(shared)();
  await charge.with({ ...shared, retry: { attempts: 2 } })();
  await charge.with({ ...shared, id: "own" })();
  await charge.with({ id: `${PREFIX}.second`, retry: { attempts: times }, timeout: times })();
});
