import type { DroppedReason } from "@cairnjs/schemas/rest";

/** Something to be told, as it is told. */
export interface LiveItem {
  readonly cursor: string;
  /** As JSON. */
  readonly text: string;
}

export type LiveBatch =
  | { readonly kind: "items"; readonly items: readonly LiveItem[] }
  /** All was told, and there will be no more. */
  | { readonly kind: "end" }
  | { readonly kind: "dropped"; readonly reason: DroppedReason };

/** What someone watches. Nothing is read ahead of whoever takes it but a page. */
export interface LiveSource {
  /** Resolves when there is something. One at a time; after an end or a drop, no more. */
  next(): Promise<LiveBatch>;
  /** Where whoever has taken everything so far would go on; null: that is not known. */
  readonly cursor: string | null;
  /** Nobody watches any more. */
  close(): void;
}

export function dropped(reason: DroppedReason): LiveBatch {
  return { kind: "dropped", reason };
}

/** For whoever comes with a cursor of another past. */
export function deadSource(reason: DroppedReason): LiveSource {
  return { next: async () => dropped(reason), cursor: null, close: () => {} };
}

/** Whoever could not begin does not watch. */
export async function leavingIfFailed<T>(asked: Promise<T>, leave: () => void): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    leave();
    throw error;
  }
}
