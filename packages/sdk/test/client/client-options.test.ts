import { describe, expect, it } from "vitest";
import { type ClientOptions, createClient, StartsInterrupted } from "../../src/client/index.ts";
import { fakePlane, json } from "./fake-plane.ts";

const URL_OF_NOBODY = "http://127.0.0.1:9";

function made(options: unknown): () => unknown {
  return () => createClient(options as ClientOptions);
}

describe("options of the client", () => {
  it("are those that there are: what is misspelled is refused, with the names that are right", () => {
    expect(made({ url: URL_OF_NOBODY, apiKey: "x" })).toThrow(
      new TypeError(
        'createClient() has no option "apiKey". There are url, key, namespace, fetch, codec, retry, signal',
      ),
    );
    for (const nothing of [undefined, null, URL_OF_NOBODY])
      expect(made(nothing)).toThrow(new TypeError("createClient() takes { url, … }"));
    expect(made({ url: URL_OF_NOBODY, retry: { forMilliseconds: 1 } })).toThrow(
      new TypeError('retry has no option "forMilliseconds". There are forMs, baseMs, capMs'),
    );
    expect(made({ url: URL_OF_NOBODY, retry: 5 })).toThrow(new TypeError("retry takes { forMs, baseMs, capMs }"));
    for (const [name, wrong] of [
      ["forMs", -1],
      ["forMs", Number.NaN],
      ["baseMs", "x"],
      ["capMs", null],
    ] as const) {
      expect(made({ url: URL_OF_NOBODY, retry: { [name]: wrong } })).toThrow(
        new TypeError(`retry.${name} is a number of milliseconds, 0 or more`),
      );
    }
    expect(made({ url: URL_OF_NOBODY, codec: { encode: () => 1 } })).toThrow(
      new TypeError("codec has the functions encode and decode"),
    );
  });

  it("may be undefined, and a retry may go on forever", () => {
    const nothing = { key: undefined, namespace: undefined, fetch: undefined, codec: undefined, signal: undefined };
    expect(made({ url: URL_OF_NOBODY, ...nothing, retry: undefined })).not.toThrow();
    const retry = { forMs: Number.POSITIVE_INFINITY, baseMs: 0, capMs: undefined };
    expect(made({ url: URL_OF_NOBODY, retry })).not.toThrow();
  });
});

describe("one of many starts", () => {
  it("is an object that says its input, and nothing is started for what is none", async () => {
    const plane = await fakePlane((response) => json(response, 200, { items: [] }));
    const client = createClient({ url: plane.url });
    for (const wrong of [1, "a", null, undefined, [1], new Date(5), new Map()]) {
      await expect(client.startMany("a.b.v1", [wrong] as never)).rejects.toThrow(
        /^startMany\(\) takes \{ input, … \} for each start, not /,
      );
    }
    expect(plane.asked).toHaveLength(0);
  });

  it("that is wrong says so as the cause, if others before it were started", async () => {
    const plane = await fakePlane((response, { body }) => {
      const { runs } = JSON.parse(body) as { runs: { id: string }[] };
      json(response, 200, { items: runs.map(({ id }) => ({ id, existed: false })) });
    });
    const starts = [...Array.from({ length: 10_000 }, () => ({})), { input: 1 }, 7];
    const error: unknown = await createClient({ url: plane.url })
      .startMany("a.b.v1", starts as never)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StartsInterrupted);
    expect(error).toMatchObject({ cause: expect.any(TypeError) as TypeError });
    expect((error as StartsInterrupted).outcomes).toHaveLength(10_000);
  });
});
