import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { fakePlane, json } from "./fake-plane.ts";

const RUN = { id: "x", status: "leased", phase: "running" };

/** What Node.js warns of from now on. */
function warnings(): string[] {
  const heard: string[] = [];
  const listener = ({ name }: Error): void => void heard.push(name);
  process.on("warning", listener);
  onTestFinished(() => void process.off("warning", listener));
  return heard;
}

function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, "abort").length;
}

/** Warnings come with the next turn of the loop. */
function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("one signal", () => {
  it("ends all that is under way, however much it is, and is heard by one listener", async () => {
    const heard = warnings();
    const silent = await fakePlane(() => {});
    const controller = new AbortController();
    const { signal } = controller;
    const clients = Array.from({ length: 15 }, () => createClient({ url: silent.url, signal }));
    const asked = clients.flatMap((client) => [client.run("x").status(), client.run("y").result()]);
    // More than have a turn at one time.
    const alone = createClient({ url: silent.url });
    const waiting = Array.from({ length: 70 }, () => alone.run("x").result({ signal }));
    const all = Promise.allSettled([...asked, ...waiting]);
    await aTurn();
    expect(listeners(signal)).toBe(1);
    const reason = new Error("the end");
    controller.abort(reason);
    for (const each of await all) expect(each).toEqual({ status: "rejected", reason });
    expect(listeners(signal)).toBe(0);
    expect(heard).toEqual([]);
  });

  it("is left when nothing is under way", async () => {
    const heard = warnings();
    const plane = await fakePlane((response, { url }) => {
      if (url.includes("/wait")) return json(response, 200, { items: [{ id: "x", status: "succeeded" }] });
      json(response, 200, url.includes("/result") ? { ...RUN, status: "succeeded", phase: null, result: 5 } : RUN);
    });
    const { signal } = new AbortController();
    const client = createClient({ url: plane.url, signal });
    await Promise.all(Array.from({ length: 20 }, () => client.run("x").status()));
    await Promise.all(Array.from({ length: 70 }, () => client.run("x").result({ signal, timeout: "1 m" })));
    expect(listeners(signal)).toBe(0);
    await client.run("x").status();
    expect(listeners(signal)).toBe(0);
    await aTurn();
    expect(heard).toEqual([]);
  });
});
