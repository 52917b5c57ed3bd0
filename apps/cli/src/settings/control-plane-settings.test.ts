import { expect, it } from "vitest";
import { controlPlaneOptions } from "./control-plane-settings.ts";

it("a control plane publishes events unless it is told not to", () => {
  expect(controlPlaneOptions({})).not.toHaveProperty("outbox");
  expect(controlPlaneOptions({ CAIRN_OUTBOX: "on" })).not.toHaveProperty("outbox");
  expect(controlPlaneOptions({ CAIRN_OUTBOX: "off", CAIRN_FIRINGS_MAX: "5" })).toMatchObject({
    outbox: { dispatch: false },
    firingsMax: 5,
  });
  expect(() => controlPlaneOptions({ CAIRN_OUTBOX: "of" })).toThrow('CAIRN_OUTBOX is on or off, not "of"');
  expect(() => controlPlaneOptions({ CAIRN_FIRINGS_MAX: "many" })).toThrow("CAIRN_FIRINGS_MAX is a whole number");
});
