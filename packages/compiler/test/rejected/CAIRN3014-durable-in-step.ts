import { action, compensate, emit, mapLimit, progress, runInfo, signal, sleep, step, workflow } from "cairnjs";

const charge = action("charge", async () => 1);
const approved = signal("approved");
export const child = workflow("child", async () => 1);

export default workflow("sample", async () => {
  await step("work", async () => {
    await sleep(5);
    await approved.wait();
    await child();
    emit("x", 1);
    progress(1);
    compensate(charge);
    await mapLimit([1], 1, charge);
    console.log(runInfo());
    await step("inner", async () => 1);
    return await charge();
  });
});
