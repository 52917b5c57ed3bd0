import { connect, type Socket } from "node:net";

/** What came on a connection. */
export interface RawAnswer {
  readonly text: string;
  /** Of each answer, in order. */
  readonly statuses: readonly number[];
  /** The other side has ended it. */
  readonly isClosed: boolean;
}

interface Listening {
  /** So many are waited for. */
  readonly answers?: number;
  /** And then so long for what comes behind, or the end of the connection. */
  readonly lingerMs?: number;
  /** At most. */
  readonly limitMs?: number;
}

/** Says these bytes, whatever they are, and listens. */
export function sayRaw(
  port: number,
  bytes: string | Buffer,
  { answers = 1, lingerMs = 100, limitMs = 30_000 }: Listening = {},
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    let isClosed = false;
    let timer = setTimeout(() => done(), limitMs);
    const statuses = (): number[] => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    const done = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, statuses: statuses(), isClosed });
    };
    socket.on("data", (part) => {
      text += part.toString("latin1");
      if (statuses().length < answers) return;
      clearTimeout(timer);
      timer = setTimeout(done, lingerMs);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      isClosed = true;
      done();
    });
    socket.write(bytes);
  });
}

/** A request with a body, as it goes over the line. */
export function rawPost(path: string, body: string, headers: readonly string[] = []): string {
  const length = headers.some((header) => /^(content-length|transfer-encoding):/i.test(header))
    ? []
    : [`content-length: ${Buffer.byteLength(body)}`];
  const type = headers.some((header) => /^content-type:/i.test(header)) ? [] : ["content-type: application/json"];
  return [`POST ${path} HTTP/1.1`, "host: localhost", ...type, ...length, ...headers, "", body].join("\r\n");
}

/** A connection that says something and then nothing. */
export function openRaw(port: number, bytes = ""): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      if (bytes !== "") socket.write(bytes);
      resolve(socket);
    });
    socket.on("error", reject);
  });
}
