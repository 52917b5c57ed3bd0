import { describe, expect, it } from "vitest";
import { createClient, StartsInterrupted, type StartOf } from "../../src/client/index.ts";
import { fakePlane, json, problem } from "./fake-plane.ts";

interface Batch {
  readonly runs: readonly { readonly id: string; readonly payload: unknown }[];
}

/** A control plane that starts what it is asked for, unless the answer to this request is another one. */
async function openPlane(another: (count: number) => "lost" | "refused" | "mistimed" | null) {
  const there: string[] = [];
  const plane = await fakePlane((response, { url, body }, count) => {
    const how = another(count);
    if (how === "refused") return problem(response, 401, "Unauthenticated");
    if (url === "/v1/health" && how === null)
      return json(response, 200, { controlPlane: "a", ready: true, now: new Date().toISOString() });
    const { runs } = JSON.parse(body || '{"runs":[]}') as Batch;
    const invalid = { title: "No", status: 400, code: "InvalidId", detail: "no id of about now" };
    const items = runs.map(({ id }, index) => {
      if (how === "mistimed" && index > 0) return { problem: invalid };
      const existed = there.includes(id);
      if (!existed) there.push(id);
      return { id, existed };
    });
    if (how === "lost") return void response.destroy();
    json(response, 200, { items });
  });
  const client = createClient({ url: plane.url, retry: { forMs: 0 } });
  return { plane, there, client };
}

async function interrupted(starting: Promise<unknown>): Promise<StartsInterrupted> {
  const error = await starting.catch((each: unknown) => each);
  expect(error).toBeInstanceOf(StartsInterrupted);
  return error as StartsInterrupted;
}

/** Those that are not known to be there, as docs/client.md says it. */
function left(starts: readonly StartOf<unknown>[], { outcomes }: StartsInterrupted): StartOf<unknown>[] {
  return starts.flatMap((start, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined) return [start];
    return "inDoubt" in outcome ? [{ ...start, id: outcome.inDoubt }] : [];
  });
}

describe("many starts that are interrupted", () => {
  const starts = Array.from({ length: 10_050 }, (_, input) => ({ input }));

  it("say what became of those before, and with which ids the others can be repeated", async () => {
    const { there, client } = await openPlane((count) => (count === 2 ? "lost" : null));
    const error = await interrupted(client.startMany("a.b.v1", starts));
    expect(error).toMatchObject({
      ...{ code: "StartsInterrupted", status: 0, cause: { code: "NoAnswer" } },
      message: expect.stringMatching(/^10000 starts are done, 0 refused and 50 in doubt: No control plane/),
    });
    expect(error.outcomes).toHaveLength(10_050);
    expect(error.outcomes.slice(0, 10_000).map((each) => "run" in each && each.run.id)).toEqual(there.slice(0, 10_000));
    const runs = await client.startMany("a.b.v1", left(starts, error));
    expect(runs.map(({ id }) => id)).toEqual(there.slice(10_000));
    expect(there).toHaveLength(10_050);
  });

  it("by an input that cannot be stored, or a refusal, leave nothing in doubt", async () => {
    const { there, client } = await openPlane((count) => (count === 3 ? "refused" : null));
    const wrong = [...starts, { input: () => {} }];
    const error = await interrupted(client.startMany("a.b.v1", wrong));
    expect(error).toMatchObject({ code: "StartsInterrupted", cause: { name: "NotStorable" } });
    expect(error.outcomes).toHaveLength(10_000);
    expect(there).toHaveLength(10_000);
    const refused = await interrupted(client.startMany("a.b.v1", starts));
    expect(refused).toMatchObject({ status: 401, cause: { code: "Unauthenticated" } });
    expect(refused.outcomes).toHaveLength(10_000);
  });

  it("reject with what is wrong if nothing was done", async () => {
    const { plane, client } = await openPlane(() => "refused");
    await expect(client.startMany("a.b.v1", [{}])).rejects.toMatchObject({ code: "Unauthenticated" });
    await expect(client.startMany("a.b.v1", [{}, { input: () => {} }])).rejects.toMatchObject({ name: "NotStorable" });
    expect(plane.asked).toHaveLength(1);
  });

  it("are in doubt if one try had no answer and the next one was refused", async () => {
    const { plane, there } = await openPlane((count) => (count === 1 ? "lost" : "refused"));
    const client = createClient({ url: plane.url, retry: { baseMs: 1 } });
    const error = await interrupted(client.startMany("a.b.v1", [{}]));
    expect(error.outcomes).toEqual([{ inDoubt: there[0] }]);
  });

  it("by an abort are in doubt, too", async () => {
    const stop = new AbortController();
    const plane = await fakePlane(() => stop.abort(new Error("enough")));
    const client = createClient({ url: plane.url, signal: stop.signal });
    const error = await interrupted(client.startMany("a.b.v1", [{}]));
    expect(error).toMatchObject({
      cause: { message: "enough" },
      outcomes: [{ inDoubt: expect.any(String) as string }],
    });
    await expect(client.startMany("a.b.v1", [{}])).rejects.toBe(stop.signal.reason);
  });

  it("keep what was answered before ids were made anew for a clock that is wrong", async () => {
    const clock = await openPlane((count) => (count === 1 ? "mistimed" : "lost"));
    const unread = await interrupted(clock.client.startMany("a.b.v1", [{}, {}]));
    expect(unread.outcomes).toMatchObject([{ existed: false }, { error: { code: "InvalidId" } }]);
    const again = await openPlane((count) => (count === 1 ? "mistimed" : count === 3 ? "lost" : null));
    const { outcomes } = await interrupted(again.client.startMany("a.b.v1", [{}, {}]));
    expect(outcomes).toMatchObject([{ existed: false }, { inDoubt: again.there[1] }]);
  });
});
