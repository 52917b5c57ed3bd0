/** What this release writes of a run, its snapshots above all, and understands, together with all before it. */
export const FORMAT = 1;

/** Of a run that nobody has begun: nothing of it was written but its rows in `runs` and `queue`. */
export const FIRST_FORMAT = 1;
