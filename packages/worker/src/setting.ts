/** Variables of the environment, as all processes of Cairn read them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that cannot be right; the message names it. */
export class SettingsMistake extends Error {
  override name = "SettingsMistake";
}

/** An empty setting is none, as in most shells and files of settings. */
export function text(env: Environment, name: string): string | null {
  const value = env[name]?.trim();
  return value === undefined || value === "" ? null : value;
}

export function list(env: Environment, name: string): string[] | null {
  const given = text(env, name);
  const items = given === null ? [] : listItems(given);
  return items.length === 0 ? null : items;
}

/** Commas inside of braces belong to a pattern. */
export function listItems(given: string): string[] {
  const items = given.split(/,(?![^{]*\})/).map((each) => each.trim());
  return items.filter((each) => each !== "");
}

/** In digits alone: `1e3` is more often a slip than a number. */
export function whole(env: Environment, name: string, least: number, most: number): number | null {
  const given = text(env, name);
  if (given === null) return null;
  const value = Number(given);
  if (/^\d+$/.test(given) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `, at least ${least}` : ` from ${least} to ${most}`;
  throw new SettingsMistake(`${name} is a whole number${range}, not ${JSON.stringify(given)}`);
}
