import { describe, expect, it } from "vitest";
import { operated } from "./plane.ts";

const plane = operated({ token: "secret" });

const approving = async (): Promise<string> => {
  const id = await plane.start("shop.approving.v1");
  await plane.untilStatus(id, "waiting");
  return id;
};

describe("cairn runs", () => {
  it("pause, resume, cancel and delete, one or several; those that refuse are named, and the others go on", async () => {
    const [first, second] = await Promise.all([approving(), approving()]);
    const paused = await plane.cairn("runs", "pause", first, second);
    expect(paused.code, paused.text).toBe(0);
    expect(paused.stdout.split("\n").map((line) => line.split("  ")[0])).toEqual([first, second, ""]);
    await Promise.all([plane.untilStatus(first, "paused"), plane.untilStatus(second, "paused")]);
    const resumed = await plane.json("runs", "resume", first);
    expect(resumed).toMatchObject({ runs: [{ id: first }], refused: [] });
    const cancelled = await plane.cairn("runs", "cancel", first, second, "--reason", "enough");
    // Whoever holds it may have done so before it was looked at.
    const asked = [first, second].map((id) => `${id}  cancel asked for; now cancell(ing|ed)\n`);
    expect(cancelled).toMatchObject({ code: 0, stdout: expect.stringMatching(new RegExp(`^${asked.join("")}$`)) });
    await Promise.all([plane.untilStatus(first, "cancelled"), plane.untilStatus(second, "cancelled")]);
    const over = await plane.cairn("runs", "pause", first, "x", "--json");
    expect(over.code).toBe(1);
    expect(JSON.parse(over.stdout)).toMatchObject({
      runs: [],
      refused: [
        { id: first, code: "RunEnded" },
        { id: "x", code: "NotFound" },
      ],
    });
    expect(over.text).toContain(`RunEnded: The run ${first} has ended: it is cancelled`);
    expect(await plane.json("runs", "delete", first, second, "--yes")).toMatchObject({ refused: [] });
    const gone = await plane.cairn("runs", "watch", first);
    expect(gone).toMatchObject({ code: 1, text: expect.stringContaining(`RunDeleted: The run ${first} was deleted`) });
  });

  it("retry, rollback and fork", async () => {
    const [bad, good] = await Promise.all([
      plane.start("shop.broken.v1", "B-2"),
      plane.start("shop.checkout.v1", { order: "A-17", cents: 1 }),
    ]);
    await Promise.all([plane.untilStatus(bad, "failed"), plane.untilStatus(good, "succeeded")]);
    const [retried, rolledBack, forked, impossible] = await Promise.all([
      plane.cairn("runs", "retry", bad),
      plane.cairn("runs", "rollback", good, "--to", "2", "--keep-chance", "--json"),
      plane.json<{ id: string }>("runs", "fork", good, "--from", "1", "--effects", "shop.charge.v1"),
      plane.cairn("runs", "fork", good, "--from", "99"),
    ]);
    expect(retried, retried.text).toMatchObject({ code: 0, stdout: expect.stringContaining(bad) });
    expect(JSON.parse(rolledBack.stdout)).toMatchObject({ id: good });
    await plane.untilStatus(forked.id, "succeeded");
    expect(impossible).toMatchObject({ code: 1, text: expect.stringContaining("NotFound") });
    await Promise.all([plane.untilStatus(bad, "failed"), plane.untilStatus(good, "succeeded")]);
    const { attempt } = await plane.json<{ attempt: number }>("runs", "show", bad);
    expect(attempt).toBe(2);
  });
});

describe("cairn workers, workflows and promote", () => {
  it("show who runs calls, and what can be started", async () => {
    const [workers, json, workflows, versions] = await Promise.all([
      plane.cairn("workers"),
      plane.json<{ workers: object[] }>("workers"),
      plane.cairn("workflows"),
      plane.json<{ versions: { version: string }[] }>("workflows", "shop.checkout.v1"),
    ]);
    expect(workers.stdout).toMatch(/^WORKER +CONTROL PLANE +PREFIXES +ACTIONS +CALLS +PER SECOND/);
    expect(workers.stdout).toContain(plane.plane.id);
    expect(json.workers).toMatchObject([{ pool: plane.plane.id, capacity: 10, prefixes: ["shop."] }]);
    expect(workflows.stdout).toMatch(/shop\.checkout\.v1 +workflow +1 +\d+ \w+ ago +\w+/);
    const [{ version }] = versions.versions as [{ version: string }];
    const [promoted, text] = await Promise.all([
      plane.json("promote", "shop.checkout.v1", version),
      plane.cairn("promote", "shop.checkout.v1", version),
    ]);
    expect(promoted).toEqual({ name: "shop.checkout.v1", current: version });
    expect(text.stdout).toBe(`shop.checkout.v1: new runs have the version ${version}\n`);
  });
});

it("whoever has no token, a wrong one, or asks what is no control plane, is told so in one line", async () => {
  const cases: [Record<string, string>, string][] = [
    [{ CAIRN_TOKEN: "" }, "Unauthenticated: This control plane wants a token"],
    [{ CAIRN_TOKEN: "wrong" }, "Unauthenticated: Nobody has this token"],
    [{ CAIRN_TOKEN: "ä" }, "CAIRN_TOKEN has a character that no token has"],
    [{ CAIRN_KEY: "ä" }, "CAIRN_KEY has a character that no token has"],
    [{ CAIRN_API_URL: `http://127.0.0.1:${plane.plane.port}` }, "No control plane answers at"],
    [{ CAIRN_TOKN: "x" }, "there is no setting CAIRN_TOKN: did you mean CAIRN_TOKEN?"],
  ];
  const commands = [["runs", "list"], ["workers"], ["workflows"], ["runs", "cancel", "x"]];
  await Promise.all(
    cases.map(async ([env, says], index) => {
      const ran = await plane.cairnWith(env, ...commands[index % commands.length]!);
      expect(ran).toMatchObject({ code: 1, stdout: "", text: expect.stringContaining(says) });
      expect(ran.text.trimEnd().split("\n")).toHaveLength(1);
    }),
  );
});
