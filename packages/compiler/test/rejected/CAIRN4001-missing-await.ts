import { action, mapLimit, signal, sleep, step, workflow } from "cairnjs";

const charge = action("charge", async (n: number) => ({ id: n }));
const approved = signal<boolean>("approved");
const tools = { charge, lookup: async () => 1, nested: { charge } };
async function helper() {
  return 1;
}
export const child = workflow("child", async () => [1]);

export default workflow("sample", async (input: any) => {
  const local = async () => true;
  if (charge(1)) return 1;
  while (helper()) break;
  do {} while (child());
  for (; local(); ) break;
  const a = charge(1) ? 1 : 2;
  const b = charge(1) && helper();
  const c = !charge(1) || (input && -helper());
  const d = charge(1) + 1 < (await charge(2)).id;
  const e = `id: ${helper()}`;
  const f = charge(1).id;
  const g = charge(1)["id"];
  const { id } = charge(1);
  const [first] = child();
  const h = [...child()];
  for (const x of child()) console.log(x);
  switch (helper()) {
    case local():
  }
  let i = 1;
  i += helper();
  const j = input[helper()];
  const k = tools.charge(1).id + tools.lookup() + tools.nested.charge(1);
  const l = charge.with({ timeout: 5 })(1).id;
  const m = approved.wait() || signal("other").wait().x;
  const n = step("a", async () => 1) === 1;
  const o = sleep(1) === 1 || mapLimit([], 1, async () => 1).length;
  const p = (input ? charge(1) : helper())!.id;
  const q = (charge(1) as any)?.id;
  if (input && charge(1)) return 2;
  const held = charge(1);
  const accepted = [
    held ? 1 : 2,
    charge(1).then((x) => x.id),
    helper().catch(() => 1).finally(() => {}),
    charge(1) instanceof Promise,
    await charge(1),
    typeof charge(1),
    [charge(1)],
  ];
  return [a, b, c, d, e, f, g, id, first, h, i, j, k, l, m, n, o, p, q, accepted];
});
