import type { ErrorCode } from "@cairnjs/schemas";
import type { BulkRunsAnswer } from "@cairnjs/schemas/rest";
import { deletedError, endedError, missingError, notFailedError } from "../library/engine-error.ts";

type Refusal = BulkRunsAnswer["refused"][number];

/** Of those that refuse for one reason. */
export const IDS_SHOWN = 10;

/** Owns: which runs refuse an order, by why. */
export class BulkRefusals {
  readonly #all = new Map<ErrorCode, Refusal>();

  get all(): Refusal[] {
    return [...this.#all.values()];
  }

  get count(): number {
    return this.all.reduce((sum, { count }) => sum + count, 0);
  }

  /** Some more, of which these are the first. The detail is that of the first of all. */
  add(code: ErrorCode, count: number, ids: readonly string[], detail: string): void {
    const before = this.#all.get(code) ?? { code, count: 0, detail, ids: [] };
    const shown = [...before.ids, ...ids].slice(0, IDS_SHOWN);
    this.#all.set(code, { ...before, count: before.count + count, ids: shown });
  }
}

/** What the run itself would say. */
export function detailOf(code: ErrorCode, id: string, status: string | null): string {
  if (status === null) return missingError(id).message;
  if (code === "RunDeleted") return deletedError(id).message;
  return (code === "WrongStatus" ? notFailedError(id, status) : endedError(id, status)).message;
}
