import { action, compensate, emit, progress, signal, sleep, workflow } from "cairnjs";

const charge = action("charge", async (n: number) => n);
async function helper() {}
export const child = workflow("child", async () => 1);

export default workflow("sample", async (input: any) => {
  charge(1);
  helper();
  child();
  child.start(1);
  sleep(5);
  signal("x").wait();
  input.ready && charge(2);
  input.ready ? charge(3) : helper();
  charge(4), helper();
  for (helper(); input.ready; charge(5)) {}
  (async () => {})();
  charge.with({ timeout: 5 })(6);
  charge(7).then((x) => x);
  Promise.all([charge(8), charge(9)]);
  Promise.allSettled(input.items.map(charge));
  Promise.all(input.items.map((item: number) => charge(item)));
  input.items.map(async (item: number) => item);
  const later = () => {
    charge(10);
  };
  later();
  compensate(charge, 1);
  emit("x", 1);
  progress(1);
  charge(11).catch(() => {});
  helper().then(() => {});
  Promise.resolve(1).then(() => {});
  await charge(12);
  const kept = charge(13);
  return kept;
});
