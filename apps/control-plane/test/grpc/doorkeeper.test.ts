import { Metadata, type ServerInterceptingCallInterface, status } from "@grpc/grpc-js";
import { pb, serviceDefinition } from "@cairnjs/protocol";
import { expect, it, onTestFinished, vi } from "vitest";
import { ANYONE } from "../../src/access/caller.ts";
import { Doorkeeper } from "../../src/grpc/doorkeeper.ts";

const { cancel } = serviceDefinition(pb.ClientService);
const PLACES = 32;

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};

function doorkeeper(cut: (peer: string) => void): Doorkeeper {
  const nothing = (): void => {};
  return new Doorkeeper({
    access: { callerOf: async () => ANYONE },
    limits: { authenticated: (_asking: unknown, _reply: unknown, find: () => unknown) => find(), admitCall: nothing },
    audit: {},
    peers: { accepted: nothing, refused: nothing, cut, bytesRead: () => 0 },
    warn: nothing,
  } as unknown as ConstructorParameters<typeof Doorkeeper>[0]);
}

type Base = Parameters<ServerInterceptingCallInterface["start"]>[0];

/** A call of which the headers have come. */
function begin(door: Doorkeeper, peer: string) {
  let below: Base | null = null as Base | null;
  let isLetIn = false;
  const nothing = (): void => {};
  const base = {
    start: (listener: Base) => (below = listener),
    sendStatus: nothing,
    getPeer: () => peer,
    getAuthContext: () => ({}),
  } as unknown as ServerInterceptingCallInterface;
  const call = door.intercept(cancel as unknown as Parameters<Doorkeeper["intercept"]>[0], base);
  call.start({
    onReceiveMetadata: () => (isLetIn = true),
    onReceiveMessage: nothing,
    onReceiveHalfClose: nothing,
    onCancel: nothing,
  });
  below!.onReceiveMetadata(new Metadata());
  return {
    isLetIn: () => isLetIn,
    cancel: () => below!.onCancel(),
    end: () => call.sendStatus({ code: status.OK, details: "" }),
  };
}

it("a call that ends in the turn in which it would be let in is not, and whoever has its address later is not cut off", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const cuts: string[] = [];
  const door = doorkeeper((peer) => cuts.push(peer));
  const inside = Array.from({ length: PLACES }, (_, index) => begin(door, `inside ${index}`));
  const waiting = begin(door, "waiting");
  await settled();
  expect([inside.every(({ isLetIn }) => isLetIn()), waiting.isLetIn()]).toEqual([true, false]);
  inside[0]!.end();
  waiting.cancel();
  await settled();
  const next = begin(door, "next");
  await settled();
  expect([waiting.isLetIn(), next.isLetIn()]).toEqual([false, true]);
  vi.advanceTimersByTime(31_000);
  // Of those that are there, nothing has come in 30 s.
  expect(cuts.toSorted()).toEqual([...inside.slice(1).map((_, index) => `inside ${index + 1}`), "next"].toSorted());
});
