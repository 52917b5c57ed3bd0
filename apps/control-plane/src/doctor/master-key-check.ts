import { EngineError } from "../library/engine-error.ts";
import { masterKeysOf } from "../secrets/master-keys.ts";
import { dataKeys } from "../store/secrets.ts";
import type { Queryable } from "../store/statement.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const CHECK = "master key";

/** Whether the master key that this process was given, as a control plane is, opens the secrets. */
export async function checkMasterKey(client: Queryable, env: NodeJS.ProcessEnv): Promise<Finding> {
  const rows = await dataKeys(client);
  const theirs = [...new Set(rows.map(({ masterKey }) => masterKey))].join(" and ");
  try {
    const own = masterKeysOf({}, env);
    if (rows.length === 0) return ok(CHECK, "Nothing is encrypted");
    if (own === null)
      return ok(CHECK, `Secrets are encrypted under ${theirs}; no CAIRN_MASTER_KEY is given here to compare`);
    const ids = new Set(own.map(({ id }) => id));
    const readable = new Set(rows.filter(({ masterKey }) => ids.has(masterKey)).map(({ id }) => id));
    if (rows.every(({ id }) => readable.has(id))) return ok(CHECK, `Secrets are encrypted under ${theirs}`);
    const given = [...ids].join(" and ");
    return problem(CHECK, `CAIRN_MASTER_KEY is ${given} here, and secrets are encrypted under ${theirs}`);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return warning(CHECK, error.message);
  }
}
