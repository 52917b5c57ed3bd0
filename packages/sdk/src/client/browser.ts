/** A page, or a worker of one. */
export const IS_BROWSER = ["document", "WorkerGlobalScope"].some((name) => name in globalThis);
