import { expect, it } from "vitest";
import { controlPlaneOptions } from "./control-plane-settings.ts";

it("a control plane publishes events and removes what is over unless it is told not to", () => {
  expect(controlPlaneOptions({})).not.toHaveProperty("outbox");
  expect(controlPlaneOptions({ CAIRN_OUTBOX: "on" })).not.toHaveProperty("outbox");
  expect(controlPlaneOptions({ CAIRN_OUTBOX: "off", CAIRN_FIRINGS_MAX: "5" })).toMatchObject({
    outbox: { dispatch: false },
    firingsMax: 5,
  });
  expect(
    controlPlaneOptions({ CAIRN_RETENTION: "off", CAIRN_RETENTION_RUNS: "90d", CAIRN_ARCHIVE: "x" }),
  ).toMatchObject({
    retention: { run: false, runs: "90d", archive: "x" },
  });
  expect(() => controlPlaneOptions({ CAIRN_RETENTION_RUNS: "90" })).toThrow("CAIRN_RETENTION_RUNS is a length of time");
  expect(() => controlPlaneOptions({ CAIRN_OUTBOX: "of" })).toThrow('CAIRN_OUTBOX is on or off, not "of"');
  expect(() => controlPlaneOptions({ CAIRN_FIRINGS_MAX: "many" })).toThrow("CAIRN_FIRINGS_MAX is a whole number");
});

it("what subscriptions may have of a control plane is what its settings say", () => {
  const env = {
    CAIRN_SUBSCRIPTION_ENV: "A_SECRET, B_SECRET",
    CAIRN_SUBSCRIPTION_SECRETS: "/s",
    CAIRN_EVENTS_FOLDER: "/e",
  };
  expect(controlPlaneOptions(env)).toMatchObject({
    outbox: { allow: { env: ["A_SECRET", "B_SECRET"], secretsFolder: "/s", eventsFolder: "/e" } },
  });
});
