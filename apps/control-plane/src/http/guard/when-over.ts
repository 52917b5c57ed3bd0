import type { ServerResponse } from "node:http";

/**
 * Once an answer is over, in whatever way: at once, if whoever asked has left. One that stands behind an answer which ends the connection is
 * never given to it, and does not learn that it is gone: the connection says so.
 */
export function whenOver(response: ServerResponse, then: () => void): void {
  const { socket } = response.req;
  if (response.destroyed || socket.destroyed) return then();
  const over = (): void => {
    response.off("close", over);
    socket.off("close", over);
    then();
  };
  response.on("close", over);
  socket.on("close", over);
}
