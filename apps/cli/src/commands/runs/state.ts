import type { StateOfRun } from "@cairnjs/schemas/rest";
import type { Output } from "../../output/output.ts";
import { tellAll } from "../../output/table.ts";
import type { RestClient } from "../../rest/rest-client.ts";
import { shownValue } from "./run-texts.ts";

export interface StateFlags {
  readonly at?: number;
  readonly json?: true;
}

/** `cairn runs state ID`: what it knew after an input: functions that wait, where, and their variables. */
export async function showState(client: RestClient, id: string, flags: StateFlags, output: Output): Promise<number> {
  const state = await client.get<StateOfRun>(`/runs/${encodeURIComponent(id)}/state`, { at: flags.at });
  if (flags.json === true) {
    output.line(JSON.stringify(state));
    return 0;
  }
  tellAll(output, [
    ["input", String(state.number)],
    ["at", state.at],
    ["phase", state.phase],
    ["to undo", state.compensations.join(", ")],
    [
      "signals",
      Object.entries(state.signals)
        .map(([name, count]) => `${name} (${count})`)
        .join(", "),
    ],
  ]);
  for (const step of state.open) {
    output.line(`open      ${output.paint("cyan", step.node)}  ${step.kind} ${step.name} ${shownValue(step.args)}`);
  }
  for (const frame of state.frames) {
    output.line();
    output.line(`${output.paint("bold", frame.function)}  ${frame.file}:${frame.line}:${frame.column}`);
    for (const [name, value] of Object.entries(frame.variables)) output.line(`  ${name} = ${JSON.stringify(value)}`);
  }
  return 0;
}
