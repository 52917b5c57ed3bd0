import { z } from "zod";
import {
  ACTIONS_MAX,
  CAPACITY_MAX,
  CONTROL_PLANES_MAX,
  NAME_LENGTH_MAX,
  PREFIXES_MAX,
  TIMER_MS_MAX,
  URL_LENGTH_MAX,
} from "./limits.ts";
import { wholeNumber } from "./number.ts";
import { RegisteredAction } from "./registered.ts";
import { Name, Namespace, storableText } from "./text.ts";

export const ProtocolVersion = wholeNumber(1, 2 ** 31 - 1);

/** A workflow whose inline steps a worker has. */
export const AnnouncedWorkflow = z.strictObject({ name: Name, version: Name });
export type AnnouncedWorkflow = z.infer<typeof AnnouncedWorkflow>;

/** What a worker says first. */
export const Hello = z.strictObject({
  protocolVersion: ProtocolVersion,
  /** The same on all streams of one process, also when it connects again. */
  workerId: Name,
  namespace: Namespace,
  /** Of names of actions. */
  prefixes: z.array(storableText(0, NAME_LENGTH_MAX)).max(PREFIXES_MAX),
  actions: z.array(RegisteredAction).max(ACTIONS_MAX),
  /** How many calls it runs at one time, over all streams. */
  capacity: wholeNumber(1, CAPACITY_MAX),
  /** Of these, calls of isolated actions on one stream. */
  threads: z.exactOptional(wholeNumber(1, CAPACITY_MAX)),
  workflows: z.exactOptional(z.array(AnnouncedWorkflow).min(1).max(ACTIONS_MAX)),
  language: Name,
  libraryVersion: Name,
});
export type Hello = z.infer<typeof Hello>;

export const ControlPlaneAddress = z.strictObject({
  id: Name,
  /** Where its gRPC is reached. */
  url: storableText(1, URL_LENGTH_MAX),
});
export type ControlPlaneAddress = z.infer<typeof ControlPlaneAddress>;

export const ControlPlaneAddresses = z.array(ControlPlaneAddress).max(CONTROL_PLANES_MAX);

/** What a control plane answers to a hello. */
export const Welcome = z.strictObject({
  controlPlaneId: Name,
  protocolVersion: ProtocolVersion,
  /** All of them, this one too. */
  controlPlanes: ControlPlaneAddresses,
  /** How often a worker says at least that a call is running. */
  heartbeatIntervalMs: wholeNumber(1, TIMER_MS_MAX),
});
export type Welcome = z.infer<typeof Welcome>;
