/**
 * What every statement that writes for an owner ($1) reads from: no row of it, no row written. The lock makes a
 * take-over, which deletes the owner's row, wait for this statement; what comes after the take-over finds nothing.
 */
export const FENCED = "cairn.owners WHERE id = $1 AND expires_at > (SELECT cairn.now()) FOR KEY SHARE";

/** The same as the first CTE of a statement, with the time that all of it has. */
export const FENCE = `fence AS MATERIALIZED (SELECT id, address, format, written_format, cairn.now() AS moment FROM ${FENCED})`;

/** The owner's lease has run out, or someone has taken over: nothing of what it holds is its own any more. */
export class OwnershipLost extends Error {
  override name = "OwnershipLost";
}
