import { Readable } from "node:stream";

/**
 * A body of which each part is there once `admit` has let it in; what that rejects with is told to whoever reads it. Of what was refused, or
 * was too much for who reads it, the rest is left behind, so that the answer is read and the connection goes on.
 */
export function admittedBody(body: Readable, admit: (part: Buffer) => Promise<void> | void): Readable {
  const admitted = Readable.from(partsOf(body, admit), { objectMode: false });
  // Who has had too much of it does not listen any more: what goes wrong then, as when the connection ends, concerns nobody.
  admitted.on("error", () => {});
  return admitted;
}

async function* partsOf(body: Readable, admit: (part: Buffer) => Promise<void> | void): AsyncGenerator<Buffer> {
  try {
    // Who is refused is told so over the connection.
    for await (const part of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      await admit(part);
      yield part;
    }
  } finally {
    body.resume();
  }
}
