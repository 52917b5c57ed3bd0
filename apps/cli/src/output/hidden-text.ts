import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { CannotRun } from "../cannot-run.ts";

/** Of what may come through a pipe. */
const BYTES_MAX = 1024 * 1024;

/** A text that nobody may see: of the standard input, or typed without being shown. Never of an argument, which `ps` shows. */
export async function hiddenText(question: string, input: NodeJS.ReadStream = process.stdin): Promise<string> {
  return input.isTTY ? typed(question, input) : piped(input);
}

async function typed(question: string, input: NodeJS.ReadStream): Promise<string> {
  process.stderr.write(question);
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silence, terminal: true });
  try {
    return await lines.question("");
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}

/** The last line break is that of whoever wrote it: `echo` and editors add one. */
async function piped(input: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const part = Buffer.from(chunk as Buffer);
    bytes += part.length;
    if (bytes > BYTES_MAX) throw new CannotRun("what comes from the standard input is too long for a secret");
    chunks.push(part);
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
