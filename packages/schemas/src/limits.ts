/** Limits of what crosses a border between processes. Those of the engine have the engine's numbers. */

/** Names of actions, types, versions, signals; idempotency keys. */
export const NAME_LENGTH_MAX = 500;
export const REASON_LENGTH_MAX = 10_000;
export const TAGS_MAX = 50;
export const TAG_LENGTH_MAX = 200;
export const ATTEMPTS_MAX = 1_000;
export const PRIORITY_MAX = 100;

/** In UTF-8. A longer value is put into the blob store first, and travels as a reference. */
export const INLINE_BYTES_MAX = 256 * 1024;
/** Of the input of a run. */
export const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;
/** References have room for ten digits. */
export const BLOB_BYTES_MAX = 9_999_999_999;
export const BLOB_CHUNK_BYTES = 64 * 1024;

/** Of one chunk that a call streams, in UTF-8. */
export const CHUNK_BYTES_MAX = 64 * 1024;

/** What most gRPC libraries take without being told otherwise. */
export const FRAME_BYTES_MAX = 4 * 1024 * 1024;
/** In each list of one frame or request: what is more goes into the next one. */
export const BATCH_MAX = 1_000;

export const ACTIONS_MAX = 10_000;
export const PREFIXES_MAX = 1_000;
export const CAPACITY_MAX = 1_000_000;
export const CONTROL_PLANES_MAX = 100;
export const SOURCE_FILES_MAX = 10_000;
export const URL_LENGTH_MAX = 2_000;
/** A hundred years. */
export const DURATION_MS_MAX = 3_155_760_000_000;
/** Timers of Node.js, and of most other hosts, count no further: 24.8 days. */
export const TIMER_MS_MAX = 2 ** 31 - 1;
/** The first and the last millisecond that Postgres, JSON and people write alike: years 1 to 9999. */
export const TIME_MS_MIN = -62_135_596_800_000;
export const TIME_MS_MAX = 253_402_300_799_999;

/** Of a limit of an action. */
export const LIMIT_MAX = 1_000_000;
