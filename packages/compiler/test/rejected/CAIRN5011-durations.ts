import { action, signal, sleep, workflow } from "cairnjs";

const charge = action("charge", async () => 1);
const approved = signal("approved");
const PAUSE = "2 fortnights";
const rest = sleep;

export default workflow("durations", async ({ ms, timeout }: { ms: number; timeout: number }) => {
  await sleep("3 dayz");
  await sleep("");
  await sleep(`${1 + 1} hourss`);
  await sleep(PAUSE);
  const local = "5 mins?";
  await rest(local);
  await sleep(1e300);
  await charge.with({ timeout: "5 mins?" })();
  await approved.wait({ timeout: "1 wek" });
  await approved.wait({ timeoutMs: 5 });
  const inBody = signal<string>("in.body");
  await inBody.wait({ timeout: -1 });
  await inBody.wait({ timeout });
  await inBody.wait({ timeout: new Date(0) });
  await sleep(ms);
  await sleep(`${ms} days`);
  await sleep(0);
  await sleep(-5);
  await sleep(" 1.5 Hours ");
});
