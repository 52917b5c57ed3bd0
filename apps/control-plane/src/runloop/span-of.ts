import { runTraceparent } from "@cairnjs/worker/host";

/** Where a run is in a trace; null: nobody traces it. */
export function spanOf({
  id,
  traceparent,
}: {
  readonly id: string;
  readonly traceparent: string | null;
}): string | null {
  return traceparent === null ? null : runTraceparent(traceparent, id);
}
