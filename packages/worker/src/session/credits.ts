/** A stream, as far as its part of the free credits goes. */
export interface Share {
  /** Calls that wait at its control plane. */
  readonly backlog: number;
  /** What it has now. */
  readonly free: number;
}

/**
 * How `free` credits are divided among streams: first to where calls wait, and what is left evenly. As long as nobody lacks
 * any, all keep what they have and only what is new is given out: each change costs a frame, and a stream whose credits
 * were taken back may have used them already.
 */
export function divideCredits(free: number, shares: readonly Share[]): number[] {
  const given = shares.reduce((sum, share) => sum + share.free, 0);
  const isEnough = given <= free && shares.every((share) => share.free >= Math.max(1, share.backlog));
  if (!isEnough) return addEvenly(...byBacklog(free, shares));
  return addEvenly(
    free - given,
    shares.map((share) => share.free),
  );
}

/** One for each if there are so many, then what is waited for, in turns of equal parts. Returns what is left. */
function byBacklog(free: number, shares: readonly Share[]): [left: number, parts: number[]] {
  const parts = shares.map(() => 0);
  let left = free;
  const wanted = shares.map(({ backlog }) => backlog);
  // With fewer credits than streams they go to where something waits.
  if (left >= shares.length) {
    for (let index = 0; index < parts.length; index++) parts[index] = 1;
    left -= parts.length;
  }
  for (;;) {
    const wanting = parts.flatMap((part, index) => (part < wanted[index]! ? [index] : []));
    if (wanting.length === 0 || left === 0) return [left, parts];
    const each = Math.max(1, Math.floor(left / wanting.length));
    for (const index of wanting) {
      const more = Math.min(each, wanted[index]! - parts[index]!, left);
      parts[index]! += more;
      left -= more;
    }
  }
}

/** To those with the least first. */
function addEvenly(left: number, parts: readonly number[]): number[] {
  const made = [...parts];
  if (made.length === 0) return made;
  const order = made.map((_, index) => index).sort((a, b) => made[a]! - made[b]!);
  // Up to the level of the next one, all at once: capacities may be large.
  for (let count = 1; left > 0; count++) {
    const level = made[order[0]!]!;
    const next = count < order.length ? made[order[count]!]! : Number.POSITIVE_INFINITY;
    const each = Math.min(next - level, Math.floor(left / count));
    for (const index of order.slice(0, count)) made[index]! += each;
    left -= each * count;
    if (each < next - level) {
      for (const index of order.slice(0, left)) made[index]! += 1;
      return made;
    }
  }
  return made;
}
