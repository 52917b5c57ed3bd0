import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { watch } from "../support/test-live.ts";
import { openRest } from "../support/test-rest.ts";
import { sums } from "../workflows/basics.ts";

const page = readFileSync(new URL("../../../../docs/live.md", import.meta.url), "utf8");

function blocks(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(([, text]) => text!);
}

/** What browsers have, as far as the page uses it. */
class EventSource {
  onmessage: (message: { readonly data: string }) => void = () => {};
  readonly #listeners = new Map<string, () => void>();

  constructor(url: string) {
    void this.#read(url);
  }

  async #read(url: string): Promise<void> {
    const watcher = await watch(url);
    await watcher.ended;
    for (const { event, data } of watcher.said) {
      if (event === "message") this.onmessage({ data: JSON.stringify(data) });
      else this.#listeners.get(event)?.();
    }
  }

  addEventListener(event: string, listener: () => void): void {
    this.#listeners.set(event, listener);
  }

  close(): void {
    this.#listeners.clear();
  }
}

it("docs/live.md: its examples do what it says", async () => {
  const rest = await openRest();
  const address = `127.0.0.1:${rest.plane.httpPort}`;
  const id = await rest.start(sums.name, { n: 2 });
  await rest.result(id);
  const [ofRun, ofAll, ofChunks] = blocks("sh")[0]!.trim().split("\n");
  const sh = async (line: string): Promise<string> =>
    (
      await promisify(execFile)("sh", ["-c", line.replace("localhost:9000", address).replace(" -N ", " -sN ")], {
        env: { ...process.env, ID: id },
      })
    ).stdout;
  expect(await sh(ofRun!)).toMatch(/"kind":"created"[^]*"kind":"step"[^]*"kind":"succeeded"[^]*event: end/);
  expect(await sh(ofChunks!)).toMatch(/event: end/);
  expect(await sh(`timeout 1 ${ofAll!.split("#")[0]} || true`)).toMatch(/^:\nid: \d+\n/);
  const shown: { readonly kind: string }[] = [];
  const show = (event: { readonly kind: string }): void => void shown.push(event);
  const [inBrowser, bySocket] = blocks("js");
  for (const [code, at] of [
    [inBrowser!, fromOrigin(inBrowser!, `http://${address}`)],
    [bySocket!, bySocket!.replace("localhost:9000", address)],
  ]) {
    expect(code).not.toBe(at);
    shown.length = 0;
    new Function("EventSource", "WebSocket", "show", "id", at!)(EventSource, WebSocket, show, id);
    await expect.poll(() => shown.map(({ kind }) => kind)).toContain("succeeded");
  }
  const [example] = blocks("json").map((text) => JSON.parse(text) as Readonly<Record<string, unknown>>);
  expect(Object.keys(example!)).toEqual(Object.keys(shown.at(-1)!));
});

/** The page asks the server that it comes from. */
function fromOrigin(code: string, origin: string): string {
  return code.replace("`/v1", `\`${origin}/v1`);
}
