import { SignalTimeout, action, signal, sleep, workflow } from "cairnjs";

interface Person {
  name: string;
  email: string;
  start: Date;
}

type Answer = { kind: "done"; note?: string } | { kind: "later"; days: number } | { kind: "stop" };

const sendMail = action("sendMail", async (to: string, template: string, data: Record<string, unknown>) => ({
  to,
  template,
  keys: Object.keys(data),
}));
const createAccount = action("createAccount", async (email: string) => ({
  account: email.split("@")[0]!,
  roles: new Set(["user"]),
}));
const closeAccount = action("closeAccount", async (account: string) => account.toUpperCase());

const answered = signal<Answer>("answered");

const STAGES = [
  { day: 0, template: "welcome", needs: false },
  { day: 1, template: "setup", needs: true },
  { day: 7, template: "first-week", needs: true },
  { day: 30, template: "first-month", needs: false },
] as const;

export const input: Person = { name: "Bo", email: "bo@example.com", start: new Date(Date.UTC(2026, 1, 28)) };

export const signals = { answered: [{ kind: "later", days: 2 }, { kind: "done", note: "fine" }, { kind: "done" }] };

export default workflow("onboarding", async (person: Person) => {
  const began = Date.now();
  const account = await createAccount(person.email);
  const log: string[] = [];
  let reminders = 0;

  const waitForAnswer = async (template: string): Promise<Answer["kind"]> => {
    for (let round = 0; round < 3; round++) {
      try {
        const answer = await answered.wait({ timeout: "3 days" });
        switch (answer.kind) {
          case "later":
            log.push(`${template}: later by ${answer.days}`);
            await sleep(`${answer.days} days`);
            break;
          case "done":
            log.push(`${template}: ${answer.note ?? "no note"}`);
          // falls through
          case "stop":
            return answer.kind;
        }
      } catch (error) {
        if (!(error instanceof SignalTimeout)) throw error;
        reminders += 1;
        await sendMail(person.email, "reminder", { template, reminders });
      }
    }
    return "stop";
  };

  stages: for (const { day, template, needs } of STAGES) {
    const due = new Date(person.start);
    due.setUTCDate(due.getUTCDate() + day);
    if (due.getTime() > Date.now()) await sleep(due);
    try {
      const sent = await sendMail(person.email, template, { name: person.name, day });
      log.push(`${sent.template} on ${new Date().toISOString().slice(0, 10)}`);
    } catch (error) {
      log.push(`${template} failed: ${error instanceof Error ? error.name : typeof error}`);
      continue stages;
    }
    if (needs && (await waitForAnswer(template)) === "stop") {
      await closeAccount(account.account).catch((error: unknown) => console.error("closing failed", error));
      break stages;
    }
  }
  const days = Math.floor((Date.now() - began) / 86_400_000);
  return { account, log, reminders, longEnough: days >= 0 };
});
