import type { Health, LiveEvent } from "@cairnjs/schemas/rest";
import { asked } from "@cairnjs/worker";
import type { Output } from "../output/output.ts";
import { oneLine } from "../output/table.ts";
import type { RestClient } from "../rest/rest-client.ts";
import { refusalOf, tellingLost } from "../rest/watching.ts";
import { shownValue } from "./runs/run-texts.ts";

export interface WatchEventsFlags {
  readonly type?: string;
  readonly kind?: string;
  readonly tag?: string;
  readonly after?: string;
  readonly json?: true;
}

/** `cairn events watch`: what happens to runs, as it happens, until it is asked to end. */
export async function watchEvents(client: RestClient, flags: WatchEventsFlags, output: Output): Promise<number> {
  const { type, kind, tag, after } = flags;
  const enough = new AbortController();
  void asked().then(() => enough.abort());
  // An address where nobody is is told at once, and not tried again.
  await client.get<Health>("/health");
  const options = { ...tellingLost(output), signal: enough.signal, ...(after === undefined ? {} : { after }) };
  try {
    const events = (await client.live()).follow<LiveEvent>("/events/stream", { type, kind, tag }, options);
    for await (const event of events) {
      output.line(flags.json === true ? JSON.stringify(event) : eventText(event, output));
    }
    return 0;
  } catch (error) {
    if (enough.signal.aborted) return 0;
    throw refusalOf(error);
  }
}

/** Runs by their whole ids: they are what other commands take. */
function eventText({ at, runId, type, kind, data }: LiveEvent, output: Output): string {
  const said = data === null ? "" : shownValue(data);
  const texts = [output.paint("dim", at), runId, output.paint("bold", type), output.paint("cyan", kind), said];
  return oneLine(texts.filter((text) => text !== "").join(" "));
}
