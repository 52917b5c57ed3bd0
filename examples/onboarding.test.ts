import { checkRestore, mock, testRun } from "cairnjs/testing";
import { describe, expect, it } from "vitest";
import onboarding, { closeAccount, confirmed, createAccount, send, upgraded } from "./onboarding.ts";

const input = { email: "ada@example.com", trialDays: 14 };

describe("the onboarding of a customer", () => {
  it("takes two weeks of mails, and ends with the plan they choose", async () => {
    const sent = mock.resolves(send, "sent");
    const run = testRun(onboarding, { input, actions: [sent], startAt: new Date("2026-03-01") });

    await run.until(confirmed);
    run.signal(confirmed, { by: "link" });
    await run.until(upgraded);
    expect(run.now).toEqual(new Date("2026-03-15"));
    run.signal(upgraded, { plan: "team" });

    expect(await run.result).toEqual({ account: { id: "acc-ada" }, outcome: "team" });
    expect(sent.calls.map(([, template]) => template)).toEqual([
      "please-confirm",
      "getting-started",
      "tips",
      "what-others-build",
      "welcome-to-team",
    ]);
    run.assertNotCalled(closeAccount);
  });

  it("closes the account when nobody confirms the address in three days", async () => {
    const run = testRun(onboarding, { input });
    expect(await run.result).toMatchObject({ outcome: "never confirmed" });
    run.assertSteps([createAccount, [send, "ada@example.com", "please-confirm"], [closeAccount, "acc-ada"]]);
  });

  it("goes on when the mail server is down for a while", async () => {
    const down = mock.fails(send, new Error("connection refused"), { times: 2 });
    const run = testRun(onboarding, { input, actions: [down], signals: { "email.confirmed": [{ by: "link" }] } });
    expect(await run.result).toMatchObject({ outcome: "trial ended" });
    expect(run.stepsOf(send)[0]!.attempts).toHaveLength(3);
    expect(run.progress.at(-1)).toEqual({ mails: 3, of: 3 });
  });

  it("survives a crash at any point", async () => {
    await checkRestore(onboarding, { input, signals: { "email.confirmed": [{ by: "link" }] } });
  });

  it("is tested in milliseconds", async () => {
    const signals = { "email.confirmed": [{ by: "link" }], "plan.upgraded": [{ plan: "team" }] };
    const begun = performance.now();
    await testRun(onboarding, { input, signals }).result;
    // A few milliseconds on an idle machine; the bound is for busy ones.
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});
