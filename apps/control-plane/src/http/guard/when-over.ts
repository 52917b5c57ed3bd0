import type { ServerResponse } from "node:http";

/** Once an answer is over, in whatever way: at once, if whoever asked has left. */
export function whenOver(response: ServerResponse, then: () => void): void {
  if (response.destroyed) then();
  else response.once("close", then);
}
