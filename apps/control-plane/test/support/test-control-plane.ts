import { onTestFinished } from "vitest";
import { type ControlPlane, type ControlPlaneOptions, openControlPlane } from "../../src/index.ts";
import { type TestBed, until } from "./test-engine.ts";

/** A control plane of the test's own database, on a port that is free. */
export async function openPlane(bed: TestBed, options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const plane = await openControlPlane({
    databaseUrl: bed.url,
    runloops: 0,
    listen: { grpc: "127.0.0.1:0" },
    onWarning: () => {},
    // Where tokens or certificates say who may ask, that is what the test is about.
    security: options.tokens !== undefined || options.tls?.clientAuthority !== undefined,
    ...options,
  });
  onTestFinished(() => plane.close());
  return plane;
}

export interface RunRow {
  readonly [key: string]: unknown;
  readonly status: string;
  readonly phase: string | null;
  readonly waiting_for: string | null;
  readonly last_error: string | null;
  readonly result: unknown;
}

export async function runRow(bed: TestBed, id: string): Promise<RunRow> {
  const [row] = await bed.query<RunRow>(
    "SELECT status, phase, waiting_for, last_error, result FROM cairn.workflow_run WHERE id = $1",
    id,
  );
  return row!;
}

export function untilRun(bed: TestBed, id: string, isSo: (row: RunRow) => boolean): Promise<RunRow> {
  return until(async () => {
    const row = await runRow(bed, id);
    return isSo(row) && row;
  });
}
