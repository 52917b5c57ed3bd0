import { STATUS_CODES } from "node:http";
import { httpStatusOf } from "@cairnjs/protocol";
import type { Problem } from "@cairnjs/schemas/rest";
import type { FastifyError, FastifyReply } from "fastify";
import { codeOf } from "../grpc/status.ts";
import { UnfitRequest } from "./request-validator.ts";

const DETAIL_LENGTH_MAX = 10_000;
const ISSUES_SHOWN_MAX = 5;

export function problem(status: number, code: string, detail: string): Problem {
  return { title: STATUS_CODES[status] ?? "Error", status, code, detail: detail.slice(0, DETAIL_LENGTH_MAX) };
}

/** What went wrong, for whoever asked; null: that is nobody's fault but ours. */
export function problemOf(error: unknown): Problem | null {
  const code = codeOf(error);
  if (code !== null) return problem(httpStatusOf(code), code, (error as Error).message);
  const { statusCode = 500, message } = error as FastifyError;
  if (error instanceof UnfitRequest) return invalidProblem(error.issues, error.validationContext ?? "request");
  if (statusCode === 413) return problem(413, "PayloadTooLarge", "The request is too large");
  if (statusCode === 415) return problem(415, "UnsupportedMediaType", "The body of a request is application/json");
  if (statusCode >= 400 && statusCode < 500) return problem(statusCode, "InvalidMessage", message);
  return null;
}

export function internalProblem(): Problem {
  return problem(500, "Internal", "Something went wrong in the control plane");
}

/** What a problem says beside its text: who is not known is told how to say it (RFC 9110, 15.5.2). */
export function problemHeaders({ status }: Problem): Readonly<Record<string, string>> {
  return status === 401 ? { "www-authenticate": 'Bearer realm="cairn"' } : {};
}

/** What a request still sends when it is refused: so much is read and forgotten, of more the connection ends. */
const UNREAD_BYTES_MAX = 64 * 1024;

export function sendProblem(reply: FastifyReply, said: Problem): FastifyReply {
  const { raw, headers } = reply.request;
  const isLong =
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > UNREAD_BYTES_MAX;
  if (isLong && !raw.complete) void reply.header("connection", "close");
  // As a text: no schema of answers is asked for it.
  return reply
    .code(said.status)
    .headers(problemHeaders(said))
    .type("application/problem+json")
    .send(JSON.stringify(said));
}

/** What does not fit a schema; `whole` is what it is part of. */
export function invalidProblem(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
  whole: string,
): Problem {
  const shown = issues.slice(0, ISSUES_SHOWN_MAX).map(({ path, message }) => {
    return `${path.length === 0 ? whole : path.map(String).join(".")}: ${message}`;
  });
  return problem(400, "InvalidMessage", shown.join("; "));
}
