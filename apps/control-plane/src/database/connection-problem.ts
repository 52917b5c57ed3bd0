import { DatabaseUnusable, type DatabaseProblem } from "./database-unusable.ts";

/** Where one tried to go, and as whom. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

interface Rule {
  readonly code: DatabaseProblem;
  readonly codes?: readonly string[];
  readonly message?: RegExp;
  readonly says: (target: Target, reason: string) => string;
}

const RULES: readonly Rule[] = [
  {
    code: "NAME_NOT_RESOLVED",
    codes: ["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_NONAME"],
    says: ({ host }) =>
      `The database's host '${host}' cannot be found: check the name, and that this machine can resolve it.`,
  },
  {
    code: "TLS_REQUIRED",
    codes: ["28000"],
    message: /no encryption|SSL off/,
    says: wantsTls,
  },
  {
    // Services and poolers say it in their own ways.
    code: "TLS_REQUIRED",
    message: /(SSL|TLS)[^.]* (is )?required|insecure connection/i,
    says: wantsTls,
  },
  {
    code: "TLS_FAILED",
    message: /does not support SSL/,
    says: ({ host, port }) =>
      `The database on ${host}:${port} does not offer TLS: use ?sslmode=disable in its URL, or another server.`,
  },
  {
    code: "TLS_FAILED",
    codes: [
      "SELF_SIGNED_CERT_IN_CHAIN",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "UNABLE_TO_GET_ISSUER_CERT",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      "CERT_HAS_EXPIRED",
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ],
    says: ({ host, port }, reason) =>
      `The TLS certificate of the database on ${host}:${port} is not accepted (${reason}): name the file of its authority by sslrootcert in the URL.`,
  },
  {
    code: "WRONG_PASSWORD",
    message: /client password must be/,
    says: ({ host, port, user }) =>
      `The database on ${host}:${port} wants a password of user '${user}', and the URL has none: write postgres://user:password@host.`,
  },
  {
    code: "WRONG_PASSWORD",
    codes: ["28P01"],
    says: ({ host, port, user }) =>
      `The database on ${host}:${port} refuses the password of user '${user}': check both.`,
  },
  {
    code: "WRONG_PASSWORD",
    message: /auth failed|no such user|SASL authentication failed/i,
    says: ({ host, port, user }) => `The pooler on ${host}:${port} refuses user '${user}' or the password: check both.`,
  },
  {
    code: "NO_DATABASE",
    codes: ["3D000"],
    says: ({ host, port, database }) =>
      `There is no database '${database}' on ${host}:${port}: create it (CREATE DATABASE), or check the name in the URL.`,
  },
  {
    code: "NO_DATABASE",
    message: /no such database/i,
    says: ({ host, port, database }) =>
      `The pooler on ${host}:${port} has no database '${database}': check its configuration and the URL.`,
  },
  {
    code: "NOT_READY",
    codes: ["57P03", "57P01"],
    says: ({ host, port }, reason) =>
      `The database on ${host}:${port} is not ready (${reason}): try again in a moment.`,
  },
  {
    code: "POOLER_REFUSED",
    message:
      /no more connections allowed|unsupported startup parameter|query_wait_timeout|server login|cannot connect to server|client_login_timeout|pgbouncer|database is disabled|prepared statement/i,
    says: ({ host, port }, reason) =>
      `The pooler on ${host}:${port} refuses the connection (${reason}): check its configuration.`,
  },
  {
    code: "UNREACHABLE",
    codes: ["ECONNREFUSED"],
    says: ({ host, port }) => `No database answers on ${host}:${port} (connection refused): is Postgres running there?`,
  },
  {
    code: "UNREACHABLE",
    codes: ["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ECONNRESET", "EPIPE", "ENOENT", "EACCES"],
    says: unreachable,
  },
  {
    code: "UNREACHABLE",
    message: /timeout expired|timeout exceeded|Query read timeout|Connection terminated/i,
    says: unreachable,
  },
];

/** Postgres says the same to whom it would not let in with TLS either. */
function wantsTls({ host, port, user }: Target): string {
  return (
    `The database on ${host}:${port} does not let user '${user}' in without TLS: add ?sslmode=verify-full to its URL ` +
    "(no-verify checks no certificate); if that does not help, its pg_hba.conf has no entry for this machine."
  );
}

function unreachable({ host, port }: Target, reason: string): string {
  return `No Postgres answers on ${host}:${port} (${reason}): check host and port, and the network between.`;
}

/** What went wrong on the way to the first answer, in a line. Servers never say passwords, so their words can be shown. */
export function connectionProblem(error: unknown, target: Target): DatabaseUnusable {
  const { code, message } = error as { code?: string; message: string };
  const rule = RULES.find(
    ({ codes, message: pattern }) =>
      (codes === undefined || codes.includes(code ?? "")) && (pattern === undefined || pattern.test(message)),
  );
  if (rule !== undefined) return new DatabaseUnusable(rule.code, rule.says(target, message || code!), { cause: error });
  return new DatabaseUnusable(
    "CONNECTION_REFUSED",
    `The database on ${target.host}:${target.port} refuses the connection of user '${target.user}' (${message}).`,
    { cause: error },
  );
}
