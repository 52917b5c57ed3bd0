import { create } from "@bufbuild/protobuf";
import {
  ACTIONS_MAX,
  AnnouncedWorkflow,
  Backlog,
  BATCH_MAX,
  CONTROL_PLANES_MAX,
  ControlPlaneAddress,
  Credits,
  Hello,
  type InFlight,
  PREFIXES_MAX,
  Welcome,
} from "@cairnjs/schemas";
import * as pb from "../pb.ts";
import { callRefFromProto, callRefToProto } from "./call.ts";
import { eachOf, numberOf, present, required, texts } from "./invalid-message.ts";
import { registeredActionFromProto, registeredActionToProto } from "./registered.ts";

const hello = Hello.shape;
const Threads = hello.threads.unwrap();
const Prefix = hello.prefixes.element;
const welcome = Welcome.shape;
const address = ControlPlaneAddress.shape;
const credits = Credits.shape;

export function helloFromProto(message: pb.Hello | undefined, path = "hello"): Hello {
  const said = present(message, path);
  const { protocolVersion, workerId, namespace, prefixes, actions, capacity, threads, language, libraryVersion } = said;
  const workflows = eachOf(said.workflows, ACTIONS_MAX, path, "workflows", announcedWorkflowFromProto);
  return {
    protocolVersion: required(hello.protocolVersion, protocolVersion, path, "protocol_version"),
    workerId: required(hello.workerId, workerId, path, "worker_id"),
    namespace: required(hello.namespace, namespace, path, "namespace"),
    prefixes: texts(Prefix, prefixes, PREFIXES_MAX, path, "prefixes"),
    actions: eachOf(actions, ACTIONS_MAX, path, "actions", registeredActionFromProto),
    capacity: required(hello.capacity, capacity, path, "capacity"),
    ...(threads === undefined ? {} : { threads: required(Threads, threads, path, "threads") }),
    ...(workflows.length === 0 ? {} : { workflows }),
    language: required(hello.language, language, path, "language"),
    libraryVersion: required(hello.libraryVersion, libraryVersion, path, "library_version"),
  };
}

function announcedWorkflowFromProto({ name, version }: pb.AnnouncedWorkflow, path: string): AnnouncedWorkflow {
  return {
    name: required(AnnouncedWorkflow.shape.name, name, path, "name"),
    version: required(AnnouncedWorkflow.shape.version, version, path, "version"),
  };
}

export function helloToProto({ actions, workflows = [], ...rest }: Hello): pb.Hello {
  return create(pb.HelloSchema, {
    ...rest,
    actions: actions.map(registeredActionToProto),
    workflows: workflows.map(({ name, version }) => create(pb.AnnouncedWorkflowSchema, { name, version })),
  });
}

export function welcomeFromProto(message: pb.Welcome | undefined, path = "welcome"): Welcome {
  const { controlPlaneId, protocolVersion, controlPlanes, heartbeatIntervalMs } = present(message, path);
  return {
    controlPlaneId: required(welcome.controlPlaneId, controlPlaneId, path, "control_plane_id"),
    protocolVersion: required(welcome.protocolVersion, protocolVersion, path, "protocol_version"),
    controlPlanes: controlPlanesFromProto(controlPlanes, path),
    heartbeatIntervalMs: required(welcome.heartbeatIntervalMs, heartbeatIntervalMs, path, "heartbeat_interval_ms"),
  };
}

export function welcomeToProto({ controlPlanes, ...rest }: Welcome): pb.Welcome {
  return create(pb.WelcomeSchema, { ...rest, controlPlanes: controlPlanes.map(controlPlaneAddressToProto) });
}

export function controlPlanesFromProto(
  messages: readonly pb.ControlPlaneAddress[],
  path: string,
): ControlPlaneAddress[] {
  return eachOf(messages, CONTROL_PLANES_MAX, path, "control_planes", controlPlaneAddressFromProto);
}

export function controlPlaneAddressFromProto(
  message: pb.ControlPlaneAddress | undefined,
  path = "control_plane",
): ControlPlaneAddress {
  const { id, url } = present(message, path);
  return {
    id: required(address.id, id, path, "id"),
    url: required(address.url, url, path, "url"),
  };
}

export function controlPlaneAddressToProto({ id, url }: ControlPlaneAddress): pb.ControlPlaneAddress {
  return create(pb.ControlPlaneAddressSchema, { id, url });
}

export function inFlightFromProto(message: pb.InFlight | undefined, path = "in_flight"): InFlight {
  const { calls, more } = present(message, path);
  return { calls: eachOf(calls, BATCH_MAX, path, "calls", callRefFromProto), more };
}

export function inFlightToProto({ calls, more }: InFlight): pb.InFlight {
  return create(pb.InFlightSchema, { calls: calls.map(callRefToProto), more });
}

export function creditsFromProto(message: pb.Credits | undefined, path = "credits"): Credits {
  const { received, free } = present(message, path);
  return {
    received: required(credits.received, numberOf(received), path, "received"),
    free: required(credits.free, free, path, "free"),
  };
}

export function creditsToProto({ received, free }: Credits): pb.Credits {
  return create(pb.CreditsSchema, { received: BigInt(received), free });
}

export function backlogFromProto(message: pb.Backlog | undefined, path = "backlog"): Backlog {
  return { calls: required(Backlog.shape.calls, present(message, path).calls, path, "calls") };
}

export function backlogToProto({ calls }: Backlog): pb.Backlog {
  return create(pb.BacklogSchema, { calls });
}
