import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, afterEach, expect } from "vitest";
import { cleanAllUp } from "../../apps/control-plane/test/support/cleanups.ts";
import { openRest } from "../../apps/control-plane/test/support/test-rest.ts";
import "../../apps/control-plane/test/workflows/clients.ts";
import { lossyProxy } from "./lossy-proxy.ts";
import type { Outcome } from "./suite.ts";

const here = new URL(".", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "cairn-client-"));

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(cleanAllUp);

/** For a browser: whatever is of Node.js alone would be an error. */
export async function bundle(
  contents: string,
): Promise<{ readonly text: string; readonly imports: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: here, loader: "ts" },
    ...{
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      write: false,
      metafile: true,
      logLevel: "silent",
    },
  });
  const inputs = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
  return { text: outputFiles[0]!.text, imports: inputs.map(({ path }) => path) };
}

export async function openSuite(): Promise<{ readonly url: string; readonly file: string }> {
  const rest = await openRest();
  const page = `import { runSuite } from "./suite.ts"; globalThis.outcomes = runSuite(location.origin);`;
  const worker = `import { runSuite } from "./suite.ts"; runSuite(location.origin).then((all) => postMessage(all));`;
  const askWorker = `globalThis.outcomes = new Promise((resolve) => {
    new Worker("/worker.js", { type: "module" }).onmessage = ({ data }) => resolve(data);
  });`;
  const pages = {
    "/suite.js": ["text/javascript", (await bundle(page)).text],
    "/worker.js": ["text/javascript", (await bundle(worker)).text],
    "/": ["text/html", `<!doctype html><meta charset="utf-8"><script type="module" src="/suite.js"></script>`],
    "/worker": ["text/html", `<!doctype html><meta charset="utf-8"><script>${askWorker}</script>`],
  } as const;
  const url = await lossyProxy(rest.plane.httpPort!, pages);
  const file = join(folder, "suite.mjs");
  const main = `import { runSuite } from "./suite.ts"; console.log(JSON.stringify(await runSuite(${JSON.stringify(url)})));`;
  writeFileSync(file, (await bundle(main)).text);
  return { url, file };
}

export function problemsIn(outcomes: readonly Outcome[]): readonly Outcome[] {
  expect(outcomes.length).toBeGreaterThan(5);
  return outcomes.filter(({ problem }) => problem !== null);
}

export async function runBy(command: string, args: readonly string[]): Promise<readonly Outcome[]> {
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder });
  return problemsIn(JSON.parse(stdout) as Outcome[]);
}
