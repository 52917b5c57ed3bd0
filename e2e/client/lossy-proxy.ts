import { createServer, request as ask, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/**
 * Stands before a control plane, with pages of its own beside it. `/cut/streams` cuts all that is being answered, `/cut/answer` loses the
 * next answer: what was asked is done, and nobody hears of it.
 */
export async function lossyProxy(
  port: number,
  pages: Readonly<Record<string, readonly [type: string, text: string]>>,
): Promise<string> {
  const answering = new Set<ServerResponse>();
  let isLosing = false;
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    if (path === "/cut/streams") for (const each of answering) each.destroy();
    if (path === "/cut/answer") isLosing = true;
    if (path.startsWith("/cut/")) return void response.end("done");
    if (!path.startsWith("/v1/")) {
      const [type, text] = pages[path] ?? ["text/html", "<p>Not this one</p>"];
      return void response.writeHead(200, { "content-type": type }).end(text);
    }
    answering.add(response);
    response.on("close", () => answering.delete(response));
    const { method, headers } = request;
    const upstream = ask({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
      if (isLosing) {
        isLosing = false;
        answer.on("end", () => response.destroy()).resume();
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    upstream.on("error", () => response.destroy());
    response.on("close", () => upstream.destroy());
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
