import type { JsonSchema } from "@cairnjs/ir";
import type { InvalidInput } from "cairnjs";
import { sampleInput } from "./commands/sample-input.ts";

/** A workflow was given no input, and takes none for wrong. */
export class MissingInput extends Error {
  readonly refusal: InvalidInput;

  constructor(refusal: InvalidInput, schema: JsonSchema | null) {
    const sample = schema === null ? "'…'" : quoted(sampleInput(schema));
    super(
      `${refusal.message}\n  Give one with --input ${sample}, or let the module export it: \`export const input = …\`.`,
    );
    this.refusal = refusal;
  }
}

/** As shells take it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
