import { action, workflow } from "cairnjs";

const charge = action("charge", async () => 1);
const PREFIX = "charge";
const shared = { id: "shared", timeout: 5 };

export default workflow("ids", async ({ id, times }: { id: string; times: number }) => {
  await charge.with({ id })();
  await charge.with({ id: `${PREFIX}.${id}` })();
  await charge.with({ ["id"]: "first" })();
  await charge.with({ id: "" })();
  await charge.with(shared)();
  await charge.with({ ...shared, retry: { attempts: 2 } })();
  await charge.with({ ...shared, id: "own" })();
  await charge.with({ id: `${PREFIX}.second`, retry: { attempts: times }, timeout: times })();
});
