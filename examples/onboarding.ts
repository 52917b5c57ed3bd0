import { action, progress, signal, SignalTimeout, sleep, workflow } from "cairnjs";

interface Signup {
  email: string;
  trialDays: number;
}

export const confirmed = signal<{ by: string }>("email.confirmed");
export const upgraded = signal<{ plan: "team" | "business" }>("plan.upgraded");

export const createAccount = action("accounts.create", async (email: string) => ({ id: `acc-${email.split("@")[0]}` }));
export const closeAccount = action("accounts.close", async (_id: string) => {});
export const send = action("mail.send", async (to: string, template: string) => `${template} to ${to}`);

const REMINDERS = [
  { after: "1 day", template: "getting-started" },
  { after: "6 days", template: "tips" },
  { after: "1 week", template: "what-others-build" },
] as const;

export default workflow("accounts.onboarding", async ({ email, trialDays }: Signup) => {
  const account = await createAccount(email);
  await send(email, "please-confirm");
  try {
    await confirmed.wait({ timeout: "3 days" });
  } catch (error) {
    if (!(error instanceof SignalTimeout)) throw error;
    await closeAccount(account.id);
    return { account, outcome: "never confirmed" };
  }

  const trialEnds = new Date(Date.now() + trialDays * 86_400_000);
  for (const [index, { after, template }] of REMINDERS.entries()) {
    await sleep(after);
    await send(email, template);
    progress({ mails: index + 1, of: REMINDERS.length });
  }

  await sleep(trialEnds);
  try {
    const { plan } = await upgraded.wait({ timeout: "2 weeks" });
    await send(email, `welcome-to-${plan}`);
    return { account, outcome: plan };
  } catch (error) {
    if (!(error instanceof SignalTimeout)) throw error;
    return { account, outcome: "trial ended" };
  }
});

export const input: Signup = { email: "ada@example.com", trialDays: 30 };
export const signals = {
  "email.confirmed": [{ by: "link" }],
  "plan.upgraded": [{ plan: "team" }],
};
