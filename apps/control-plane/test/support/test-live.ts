import { cleanUp } from "./cleanups.ts";

/** Something that a stream of server-sent events said. */
interface Said {
  /** `message` if nothing else was said. */
  readonly event: string;
  readonly id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Whoever watches over server-sent events: as a browser does, but for coming back by himself. */
export interface Watcher {
  readonly status: number;
  /** What it was told, without beats. */
  readonly said: readonly Said[];
  /** As browsers keep it: also from what was no event. */
  readonly lastId: string | null;
  /** Where it began. */
  readonly firstId: string | null;
  /** Beats, of which each is a comment. */
  readonly beats: number;
  /** Resolves when the stream has ended, by whomever. */
  readonly ended: Promise<void>;
  /** Resolves when one of what was said is so. */
  until(isSo: (said: Said) => boolean): Promise<Said>;
  close(): void;
}

export async function watch(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Watcher> {
  const over = new AbortController();
  cleanUp(async () => over.abort());
  const response = await fetch(url, { headers, signal: over.signal });
  const said: Said[] = [];
  const state = { firstId: null as string | null, lastId: null as string | null, beats: 0, isOver: false };
  let wake: () => void = () => {};
  const read = async (): Promise<void> => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) take(block);
      wake();
    }
  };
  const take = (block: string): void => {
    const fields = new Map<string, string>();
    for (const line of block.split("\n")) {
      const [, name, value] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
      if (name === "") state.beats += 1;
      else fields.set(name!, value!);
    }
    if (fields.has("id")) state.lastId = fields.get("id")!;
    state.firstId ??= state.lastId;
    const data = fields.get("data");
    if (data === undefined) return;
    said.push({ event: fields.get("event") ?? "message", id: fields.get("id") ?? null, data: JSON.parse(data) });
  };
  const ended = read()
    .catch(() => {})
    .finally(() => {
      state.isOver = true;
      wake();
    });
  return {
    status: response.status,
    said,
    get lastId() {
      return state.lastId;
    },
    get firstId() {
      return state.firstId;
    },
    get beats() {
      return state.beats;
    },
    ended,
    until: async (isSo) => {
      for (;;) {
        const found = said.find(isSo);
        if (found !== undefined) return found;
        if (state.isOver) throw new Error(`the stream ended before: ${JSON.stringify(said.slice(-5))}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    close: () => over.abort(),
  };
}

/** What was told of a run, or a run's end. */
export interface Told {
  readonly cursor: string;
  readonly runId: string;
  readonly type: string;
  readonly kind: string;
  readonly data: unknown;
}

/** Whoever watches for long: comes back after whatever ends the stream, with what it saw last, wherever it is told to. */
export interface LastingWatcher {
  readonly told: readonly Told[];
  /** Where it began. */
  readonly from: string | null;
  /** How often it had to come back. */
  readonly returns: number;
  readonly isOver: boolean;
  /** Breaks the connection. */
  breakOff(): void;
  close(): void;
}

export function watchLastingly(urlOf: () => string): LastingWatcher {
  const told: Told[] = [];
  const state = { from: null as string | null, returns: -1, isOver: false };
  let current: Watcher | null = null;
  const live = async (): Promise<void> => {
    let lastId: string | null = null;
    while (!state.isOver) {
      state.returns += 1;
      const headers: Record<string, string> = lastId === null ? {} : { "last-event-id": lastId };
      const watcher = await watch(urlOf(), headers).catch(() => null);
      if (watcher === null || watcher.status !== 200) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      current = watcher;
      await watcher.ended;
      current = null;
      state.from ??= watcher.firstId;
      lastId = watcher.lastId ?? lastId;
      for (const { event, id, data } of watcher.said) {
        if (event === "end") state.isOver = true;
        else if (event === "message") told.push({ ...(data as unknown as Told), cursor: id! });
        else if (data["reason"] === "unknown cursor") throw new Error(`the cursor ${lastId} is not known`);
      }
    }
  };
  const living = live();
  living.catch(() => {});
  return {
    get told() {
      return current === null ? told : [...told, ...toldBy(current)];
    },
    get from() {
      return state.from ?? current?.firstId ?? null;
    },
    get returns() {
      return state.returns;
    },
    get isOver() {
      return state.isOver || (current?.said.some(({ event }) => event === "end") ?? false);
    },
    breakOff: () => current?.close(),
    close: () => {
      state.isOver = true;
      current?.close();
    },
  };
}

function toldBy(watcher: Watcher): Told[] {
  const events = watcher.said.filter(({ event }) => event === "message");
  return events.map(({ id, data }) => ({ ...(data as unknown as Told), cursor: id! }));
}
