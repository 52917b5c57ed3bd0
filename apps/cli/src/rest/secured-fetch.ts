import { request } from "node:https";

/** What of `fetch` is used here. */
export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  text(): Promise<string>;
}

export interface Question {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** `fetch` that trusts this authority alone: Node.js's own takes none before version 24. */
export function securedFetch(authority: Buffer): (url: URL, question: Question) => Promise<Answer> {
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const asked = request(url, { method, headers: { ...headers, ...length }, ca: authority, signal }, (response) => {
        const status = response.statusCode ?? 0;
        const text = async (): Promise<string> => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk as Buffer);
          return Buffer.concat(chunks).toString();
        };
        resolve({ ok: status >= 200 && status < 300, status, text });
      });
      asked.on("error", reject);
      asked.end(body);
    });
}
