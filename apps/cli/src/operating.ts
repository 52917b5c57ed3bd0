import { InvalidArgumentError } from "commander";
import type { Output } from "./output/output.ts";
import { RestClient } from "./rest/rest-client.ts";
import { readEnvironment } from "./settings/config-file.ts";
import { OPERATOR_SETTINGS } from "./settings/known-settings.ts";

/** What a command of operators is given. */
export interface Operating {
  readonly output: Output;
  readonly done: (exitCode: number) => void;
}

/** Of the control plane that the settings name. */
export async function clientOf(flags: object): Promise<RestClient> {
  return new RestClient(await readEnvironment(process.env, OPERATOR_SETTINGS, flags));
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
