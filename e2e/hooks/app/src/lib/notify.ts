import { stage } from "../cairn.js";

const prefix = "to ";

/** A helper with a step of its own: its module declares no workflow. */
export async function notify<Name extends string>(name: Name, lines: readonly Name[]): Promise<string> {
  return await stage("notify", async () => `${prefix}${name satisfies Name}: ${lines.join(", ")}`);
}
