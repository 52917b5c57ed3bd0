import { lookup } from "node:dns/promises";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, Server as TlsServer, type SecureContextOptions, TLSSocket } from "node:tls";
import type { HandshakeReason } from "../access/failed-access.ts";
import { Connections } from "../http/guard/connections.ts";
import type { ServerTls } from "./server-certificates.ts";

/** Until it is secure, and from then until something is asked that is answered. */
const HANDSHAKE_MS_MAX = 5_000;
const SILENT_MS_MAX = 10_000;
/** On one connection on which nothing was right. */
const REFUSALS_MAX = 100;
/** As for keys that have expired. */
const LOOK_EVERY_MS = 2_000;
const NO_CERTIFICATE = "ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE";

export interface GrpcListenerOptions {
  /** Host and port; 0 is any that is free. */
  readonly listen: string;
  readonly tls: ServerTls | null;
  /** A proxy, behind which many are. */
  readonly isProxy: (address: string) => boolean;
  /** No TLS was agreed on. The address is null if the connection has gone; `code` is what Node.js calls what was wrong. */
  readonly handshakeFailed: (reason: HandshakeReason, address: string | null, code: string) => void;
  /** Of this machine, by which TLS looks at certificates too. */
  readonly timeNow: () => number;
}

interface Connection {
  readonly socket: Socket;
  readonly silent: NodeJS.Timeout;
  /** When its certificate ends; `Infinity` if it has none. */
  readonly expiresAt: number;
  isAccepted: boolean;
  refusals: number;
}

/**
 * The port of gRPC. grpc-js would listen by itself, but has no limit of connections, waits two minutes for a handshake, and cannot end one
 * connection.
 *
 * Owns the connections. I1: as many of one address, and of all, as of HTTP. I2: one on which nobody is let in ends soon. I3: none outlives
 * its certificate, but for two seconds.
 */
export class GrpcListener {
  readonly #options: GrpcListenerOptions;
  readonly #counts: Connections;
  readonly #servers: Server[] = [];
  /** By peer, as calls say it. */
  readonly #connections = new Map<string, Connection>();

  #take: (socket: Socket) => void = () => {};
  #looking: NodeJS.Timeout | null = null;

  constructor(options: GrpcListenerOptions) {
    this.#options = options;
    this.#counts = new Connections(options.isProxy);
  }

  /** `take` speaks HTTP/2 on what comes. Rejects if it cannot listen on any of the addresses that the host has. */
  async open(take: (socket: Socket) => void): Promise<void> {
    this.#take = take;
    const { listen } = this.#options;
    const host = listen.slice(0, listen.lastIndexOf(":")).replace(/^\[(.*)\]$/, "$1");
    let port = Number(listen.slice(listen.lastIndexOf(":") + 1));
    let failed: unknown = null;
    // `localhost` has two.
    for (const { address } of await lookup(host, { all: true })) {
      try {
        port = await this.#listen(address, port);
      } catch (error) {
        failed = error;
      }
    }
    if (this.#servers.length === 0) throw failed;
    if (this.#options.tls?.clientAuthority !== undefined) {
      this.#looking = setInterval(() => this.#endExpired(), LOOK_EVERY_MS).unref();
    }
  }

  get port(): number {
    return (this.#servers[0]!.address() as AddressInfo).port;
  }

  /** Who connects from now on is shown this certificate. */
  renew(tls: ServerTls): void {
    for (const server of this.#servers) if (server instanceof TlsServer) server.setSecureContext(contextOf(tls));
  }

  accepted(peer: string): void {
    const connection = this.#connections.get(peer);
    if (connection === undefined || connection.isAccepted) return;
    connection.isAccepted = true;
    clearTimeout(connection.silent);
  }

  /** Streams that were refused stay as long as the other side does not end them. */
  refused(peer: string): void {
    const connection = this.#connections.get(peer);
    if (connection === undefined || connection.isAccepted) return;
    connection.refusals += 1;
    if (connection.refusals >= REFUSALS_MAX) connection.socket.destroy();
  }

  cut(peer: string): void {
    this.#connections.get(peer)?.socket.destroy();
  }

  /** Of one that has gone: nothing. */
  bytesRead(peer: string): number {
    return this.#connections.get(peer)?.socket.bytesRead ?? 0;
  }

  /** Nobody else comes. */
  close(): void {
    for (const server of this.#servers) server.close();
  }

  /** Whoever is still there goes. */
  end(): void {
    clearInterval(this.#looking ?? undefined);
    for (const { socket } of this.#connections.values()) socket.destroy();
  }

  async #listen(host: string, port: number): Promise<number> {
    const { tls } = this.#options;
    const server =
      tls === null
        ? createServer((socket) => this.#connected(socket))
        : createTlsServer(
            {
              ...contextOf(tls),
              requestCert: tls.clientAuthority !== undefined,
              rejectUnauthorized: tls.clientAuthority !== undefined,
              ALPNProtocols: ["h2"],
              handshakeTimeout: HANDSHAKE_MS_MAX,
            },
            (socket) => this.#connected(socket),
          );
    if (server instanceof TlsServer) {
      server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => this.#failed(error, socket));
    }
    this.#counts.limit(server);
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port }, () => {
        server.off("error", reject);
        resolve();
      });
    });
    this.#servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  #failed({ code = "" }: NodeJS.ErrnoException, socket: TLSSocket): void {
    // A certificate that is not taken is none of OpenSSL's errors: Node.js ends the connection. This is a code, whatever its type says.
    const untrusted = (socket.authorizationError as unknown as string | null) ?? null;
    const address = socket.remoteAddress ?? null;
    const { handshakeFailed } = this.#options;
    if (untrusted !== null) handshakeFailed("certificate_untrusted", address, untrusted);
    else if (code === NO_CERTIFICATE) handshakeFailed("certificate_missing", address, code);
    // Who connects and leaves, as probes do, was refused nothing.
    else if (code.startsWith("ERR_")) handshakeFailed("handshake", address, code);
    // It ends none by itself.
    socket.destroy();
  }

  #connected(socket: Socket): void {
    // Too many, or gone already.
    if (socket.destroyed || socket.remoteAddress === undefined) return void socket.destroy();
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    const expiresAt = expiryOf(socket);
    // TLS does not look at it again when a session is resumed.
    if (expiresAt <= this.#options.timeNow()) return void socket.destroy();
    const silent = setTimeout(() => socket.destroy(), SILENT_MS_MAX);
    this.#connections.set(peer, { socket, silent, expiresAt, isAccepted: false, refusals: 0 });
    socket.once("close", () => {
      clearTimeout(silent);
      this.#connections.delete(peer);
    });
    // What is wrong with a connection ends it.
    socket.on("error", () => {});
    this.#take(socket);
  }

  #endExpired(): void {
    const at = this.#options.timeNow();
    for (const { socket, expiresAt } of this.#connections.values()) if (expiresAt <= at) socket.destroy();
  }
}

function expiryOf(socket: Socket): number {
  const end = socket instanceof TLSSocket ? socket.getPeerCertificate().valid_to : undefined;
  return end === undefined ? Infinity : Date.parse(end);
}

function contextOf({ key, certificate, clientAuthority }: ServerTls): SecureContextOptions {
  return { key, cert: certificate, ca: clientAuthority };
}
