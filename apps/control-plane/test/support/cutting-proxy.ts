import { createServer, connect as connectTo, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Stands between a client and Postgres, and can lose what the server answers. */
export interface CuttingProxy {
  readonly url: string;
  /** The next answer of the server is lost, and the connection with it: what was asked is done. */
  loseNextAnswer(): void;
  /** From now on nobody is there. */
  goAway(): void;
}

export async function cuttingProxy(url: string): Promise<CuttingProxy> {
  const target = new URL(url);
  let losing = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connectTo(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    client.pipe(upstream);
    upstream.on("data", (bytes) => {
      if (!losing) return void client.write(bytes);
      losing = false;
      client.destroy();
      upstream.destroy();
    });
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const goAway = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTestFinished(goAway);
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(port) }).href,
    loseNextAnswer: () => void (losing = true),
    goAway,
  };
}
