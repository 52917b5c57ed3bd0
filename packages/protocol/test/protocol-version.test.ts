import { expect, it } from "vitest";
import { MIN_PROTOCOL_VERSION, PROTOCOL_VERSION, protocolProblem } from "../src/index.ts";

it("who speaks a version that is spoken here is welcome, a later one too", () => {
  expect(MIN_PROTOCOL_VERSION).toBeLessThanOrEqual(PROTOCOL_VERSION);
  for (const protocolVersion of [MIN_PROTOCOL_VERSION, PROTOCOL_VERSION, PROTOCOL_VERSION + 5]) {
    expect(protocolProblem({ role: "worker", id: "w", protocolVersion })).toBeNull();
  }
});

it("who is too old is told what to do, in a line", () => {
  expect(protocolProblem({ role: "worker", id: "w-1", protocolVersion: 2 }, 3)).toBe(
    "The worker w-1 speaks version 2 of the protocol, and this control plane 3 and later: " +
      "update the Cairn library that the worker uses, and start it again.",
  );
  expect(protocolProblem({ role: "control plane", id: "c-1", protocolVersion: 2 }, 3)).toBe(
    "The control plane c-1 speaks version 2 of the protocol, and this worker 3 and later: " +
      "update the control plane before its workers.",
  );
});
