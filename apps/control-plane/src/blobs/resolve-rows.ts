import type { AttemptRow } from "../store/load-attempts.ts";
import type { HistoryRow, RunRow, SnapshotRow, StoredSnapshot } from "../store/load-runs.ts";
import type { BlobStore } from "./blob-store.ts";
import { isReference } from "./reference.ts";
import { blobOf, valueOf } from "./stored-values.ts";

/** Rows as they were read, with values in the place of references. Each rejects with a `BlobError` if one cannot be had. */

export async function resolveRun(blobs: BlobStore, row: RunRow): Promise<RunRow> {
  if (!isReference(row.payload)) return row;
  return { ...row, payload: await valueOf(blobs, row.payload, row.id, "The input") };
}

export async function resolveHistory(blobs: BlobStore, rows: readonly HistoryRow[]): Promise<readonly HistoryRow[]> {
  if (!rows.some(({ value }) => refers(value))) return rows;
  return Promise.all(
    rows.map(async (row) => {
      if (!refers(row.value)) return row;
      const { runId, number, kind, call, name } = row;
      const what = `Input ${number} (${[kind, call ?? name ?? ""].join(" ").trim()})`;
      return { ...row, value: await valueOf(blobs, row.value!, runId, what) };
    }),
  );
}

export async function resolveSnapshots(blobs: BlobStore, rows: readonly StoredSnapshot[]): Promise<SnapshotRow[]> {
  return Promise.all(
    rows.map(async ({ runId, number, base, bytes, blob, open }) => {
      const what = `The snapshot after input ${number}`;
      return {
        runId,
        number,
        base,
        bytes: bytes ?? (await blobOf(blobs, blob!, runId, what)),
        open: await valueOf(blobs, open, runId, what),
      };
    }),
  );
}

export async function resolveAttempts(
  blobs: BlobStore,
  runId: string,
  rows: readonly AttemptRow[],
): Promise<readonly AttemptRow[]> {
  if (!rows.some(({ error }) => refers(error))) return rows;
  return Promise.all(
    rows.map(async (row) => {
      if (!refers(row.error)) return row;
      const what = `The error of try ${row.attempt} of ${row.call}`;
      return { ...row, error: await valueOf(blobs, row.error!, runId, what) };
    }),
  );
}

function refers(value: string | null): boolean {
  return value !== null && isReference(value);
}
