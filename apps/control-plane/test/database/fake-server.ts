import { createServer, type AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What answers a client before any real server could: an old Postgres, a pooler, something else entirely. */
export interface FakeServer {
  /** Sent for the first message of a client. */
  readonly greeting: Buffer;
  /** Sent for everything after it. */
  readonly answer?: Buffer;
}

/** The port on which it listens until the test is over. */
export async function startFakeServer({ greeting, answer }: FakeServer): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(greeting);
      socket.on("data", () => (answer === undefined ? socket.destroy() : socket.write(answer)));
      if (answer === undefined) socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Lets anybody in, and answers whatever is asked with one row of one column. */
export function oneRowServer(column: string, value: string): FakeServer {
  const name = Buffer.concat([
    Buffer.from(`${column}\0`),
    Buffer.alloc(6),
    Buffer.from([0, 0, 0, 25]),
    Buffer.alloc(8),
  ]);
  const cell = Buffer.concat([int32(value.length), Buffer.from(value)]);
  return {
    greeting: Buffer.concat([message("R", int32(0)), message("Z", Buffer.from("I"))]),
    answer: Buffer.concat([
      message("T", Buffer.from([0, 1]), name),
      message("D", Buffer.from([0, 1]), cell),
      message("C", Buffer.from("SHOW\0")),
      message("Z", Buffer.from("I")),
    ]),
  };
}

export function refusingServer(code: string, text: string): FakeServer {
  return { greeting: message("E", Buffer.from(`SFATAL\0C${code}\0M${text}\0\0`)) };
}

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
