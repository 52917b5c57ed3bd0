import { expect, it } from "vitest";
import { LiveClients } from "../../src/http/live/live-clients.ts";

it("of those who watch, one namespace has at most half, however many keys it has", () => {
  const limits = { clientsMax: 6, clientsPerCallerMax: 2, slowMs: 1, heartbeatMs: 1 };
  const clients = new LiveClients(limits, () => () => {});
  const enter = (name: string, namespace: string | null): (() => void) =>
    clients.enter({ name, keyId: name, scopes: [], namespace }, "events", () => {});
  const leave = enter("a", "billing");
  enter("b", "billing");
  enter("b", "billing");
  expect(() => enter("b", "billing")).toThrow("b watches 2 times already");
  expect(() => enter("c", "billing")).toThrow("The namespace billing watches 3 times already");
  enter("d", "shop");
  enter("e", null);
  enter("e", null);
  expect(() => enter("f", null)).toThrow("6 watch this control plane already");
  leave();
  enter("c", "billing");
});
