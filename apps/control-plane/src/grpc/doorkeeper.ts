import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import { pb, serviceDefinition } from "@cairnjs/protocol";
import type { Caller } from "../access/caller.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { Refused } from "../hub/refused.ts";
import { holderOf } from "../shares.ts";
import { Arrivals } from "./arrivals.ts";
import { writeRefusal } from "./audited-call.ts";
import { type Doors, hostOfPeer, type Method, permitted } from "./authorization.ts";
import { PublicCalls } from "./public-calls.ts";
import { codeOf, statusOf } from "./status.ts";
import type { Warn } from "../warn.ts";

/** Of workers, while they work: their number says how much there is to do, and they have limits of their own. */
const UNCOUNTED: ReadonlySet<Method> = new Set(["work", "putBlob", "getBlob"]);

/** Connections by their peers, as calls say them. */
interface Peers {
  /** Something was asked on it that is answered. */
  accepted(peer: string): void;
  /** Nothing of it was read, or it was too much. */
  refused(peer: string): void;
  cut(peer: string): void;
  /** All that has come by it. */
  bytesRead(peer: string): number;
}

interface DoorkeeperOptions extends Doors {
  readonly audit: AuditLog;
  readonly peers: Peers;
  readonly warn: Warn;
}

type Definition = Parameters<ServerInterceptor>[0];

/** One call, from its headers to its end. */
interface Visit {
  readonly definition: Definition;
  readonly call: ServerInterceptingCallInterface;
  readonly peer: string;
  isOver: boolean;
  /** Its request is there. */
  arrived: () => void;
  /** Gives back all that it has. */
  leave: () => void;
}

/**
 * Asks every call who makes it, by its headers: before that, and before there is a place for it, nothing of its messages is read.
 *
 * Owns: who makes the calls that are open. Does not own: connections, which `GrpcListener` has.
 */
export class Doorkeeper {
  readonly #options: DoorkeeperOptions;
  readonly #callers = new WeakMap<Metadata, Caller>();
  readonly #arrivals = new Arrivals();
  readonly #public = new PublicCalls();

  constructor(options: DoorkeeperOptions) {
    this.#options = options;
  }

  /** Who makes a call of our services that was let in. */
  callerOf({ metadata }: { readonly metadata: Metadata }): Caller {
    const caller = this.#callers.get(metadata);
    if (caller === undefined) throw new Error("A call has come past the doorkeeper");
    return caller;
  }

  readonly intercept: ServerInterceptor = (definition, call) => {
    const nothing = (): void => {};
    const visit: Visit = { definition, call, peer: call.getPeer(), isOver: false, arrived: nothing, leave: nothing };
    const over = (): void => {
      visit.isOver = true;
      visit.arrived();
      visit.leave();
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, goOn) => {
            this.#admit(visit, metadata, () => goOn(metadata)).catch((error: unknown) => this.#refuse(visit, error));
          },
          onReceiveHalfClose: (goOn) => {
            visit.arrived();
            goOn();
          },
          onCancel: over,
        }),
      sendStatus: (status, goOn) => {
        over();
        goOn(status);
      },
    });
  };

  async #admit(visit: Visit, metadata: Metadata, goOn: () => void): Promise<void> {
    const { definition, call, peer } = visit;
    const { limits, peers } = this.#options;
    const method = METHODS.get(definition.path);
    if (method === undefined) {
      this.#admitAnyone(visit);
      peers.accepted(peer);
      return goOn();
    }
    const asked = { metadata, getAuthContext: () => call.getAuthContext(), getPeer: () => peer };
    const caller = await permitted(this.#options, method, asked);
    peers.accepted(peer);
    if (!UNCOUNTED.has(method)) limits.admitCall(hostOfPeer(peer), caller);
    this.#callers.set(metadata, caller);
    if (visit.isOver) return;
    if (definition.requestStream) return goOn();
    const line = { peer, bytesRead: () => peers.bytesRead(peer) };
    const { entered, arrived, leave } = this.#arrivals.expect(holderOf(caller), line, () => this.#tooLate(visit));
    visit.leave = leave;
    // The request of a stream is small: it holds no place while the stream takes.
    visit.arrived = definition.responseStream ? leave : arrived;
    await entered;
    if (!visit.isOver) goOn();
  }

  #admitAnyone(visit: Visit): void {
    const { requestStream, responseStream } = visit.definition;
    const ip = hostOfPeer(visit.peer);
    const hasArrived = this.#public.arrive(ip, () => this.#options.peers.cut(visit.peer));
    // What comes in several messages is never known to be all there.
    if (requestStream) visit.leave = hasArrived;
    else visit.arrived = hasArrived;
    if (!requestStream && responseStream) visit.leave = this.#public.watch(ip);
  }

  /** What has come of it stays in memory while its stream does, which the other side ends: so the connection goes. */
  #tooLate({ call, peer }: Visit): void {
    end(call, new Refused("Unavailable", "The request took too long to arrive"));
    this.#options.peers.cut(peer);
  }

  async #refuse({ definition, call, peer }: Visit, error: unknown): Promise<void> {
    const { audit, peers, warn } = this.#options;
    if (codeOf(error) === null) warn("A call cannot be let in", error);
    await writeRefusal(audit, { getPath: () => definition.path, getPeer: () => peer }, error);
    end(call, error);
    peers.refused(peer);
  }
}

/** As `statusOf` says it, by number. */
interface Ending {
  sendStatus(status: ReturnType<typeof statusOf>): void;
}

function end(call: Ending, error: unknown): void {
  call.sendStatus(statusOf(error));
}

/** By path. All others are of health and reflection. */
const METHODS: ReadonlyMap<string, Method> = new Map(
  [serviceDefinition(pb.WorkerService), serviceDefinition(pb.ClientService)].flatMap((service) =>
    Object.entries(service).map(([name, { path }]) => [path, name as Method] as const),
  ),
);
