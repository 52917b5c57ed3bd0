// What a pattern or a match may take. V8 has limits of its own, some of them in bytes of the C stack;
// ours are lower or of the same order, and are the same on every machine.

/** Groups, or classes of the v flag, inside each other. Parsing and emitting recurse this deep. */
export const PATTERN_NESTING_MAX = 500;

/** V8's limit, with V8's error. */
export const CAPTURE_GROUPS_MAX = 32767;

/** Numbers of code, of which a pattern takes two or three per character. */
export const PROGRAM_CODE_MAX = 2 ** 19;

/** Bounds of ranges in all sets of a program, and, tenfold, those handled while computing them. */
export const PROGRAM_SET_BOUNDS_MAX = 2 ** 19;
export const COMPILE_WORK_MAX = 10 * PROGRAM_SET_BOUNDS_MAX;

/** Numbers on the backtrack stack, three per entry: 24 MB on a 64-bit host. V8 stops at 64 MB. */
export const BACKTRACK_STACK_MAX = 3 * 2 ** 20;

/** The longest string of V8, hence the largest position a decoded match state may hold. */
export const POSITION_MAX = 2 ** 29;
