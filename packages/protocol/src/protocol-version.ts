/** Grows with each change that the other side must know of. New fields that may be ignored are none. */
export const PROTOCOL_VERSION = 1;

/** The oldest that is still spoken. Both sides look: the newer one knows what it no longer does. */
export const MIN_PROTOCOL_VERSION = 1;

export interface Peer {
  readonly role: "worker" | "control plane";
  readonly id: string;
  readonly protocolVersion: number;
}

/**
 * What to do about someone who is too old to be spoken with, in a line; null if all is well. To be asked before the rest of
 * a hello or a welcome is looked at: an old one may lack what is required now.
 */
export function protocolProblem(
  { role, id, protocolVersion }: Peer,
  minVersion: number = MIN_PROTOCOL_VERSION,
): string | null {
  if (protocolVersion >= minVersion) return null;
  const [self, update] =
    role === "worker"
      ? ["control plane", "update the Cairn library that the worker uses, and start it again"]
      : ["worker", "update the control plane before its workers"];
  return `The ${role} ${id} speaks version ${protocolVersion} of the protocol, and this ${self} ${minVersion} and later: ${update}.`;
}
