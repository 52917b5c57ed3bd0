import { action, compensate, sleep, step, workflow } from "cairnjs";

const refund = action("refund", async (id: string, cents: number) => [id, cents]);
const undo = workflow("undo", async () => 1);
const tools = { refund, again: refund.with({ retry: { attempts: 9 } }), note: (text: string) => text };
const helper = async (id: string) => await refund(id, 1);

export default workflow("compensations", async ({ id, which }: { id: string; which: "refund" | "again" }) => {
  compensate(() => refund(id, 100));
  compensate(async () => {
    await refund(id, 100);
  });
  compensate(refund(id, 100));
  compensate(helper(id));
  compensate(helper, id);
  compensate(tools.note, id);
  compensate(undo);
  compensate(undo());
  compensate(undo.with({ id: "later" }));
  compensate(sleep, 5);
  compensate("refund", id);
  compensate({ refund });
  compensate(step("refund", async () => 1));
  compensate();
  compensate(refund, id, () => 100);
  compensate(refund, id, 100);
  compensate(refund.with({ id: "undo" }), id, 100);
  compensate(tools.refund, id, 100);
  compensate(tools.again, id, 100);
  compensate(tools[which], id, 100);
});
