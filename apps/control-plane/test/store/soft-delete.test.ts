import { describe, expect, it } from "vitest";
import type { RunHandle } from "../../src/index.ts";
import { until } from "../support/test-engine.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";
import { approved, guardian } from "../workflows/basics.ts";

/** A run that waits for its child, which waits for a signal; nobody holds them. */
async function parkedFamily(bed: StoreBed): Promise<{ parent: RunHandle; child: RunHandle }> {
  const cairn = await bed.open();
  const parent = await cairn.start(guardian);
  await until(async () => (await bed.query("SELECT FROM cairn.queue WHERE state = 'parked'")).length === 2);
  const [row] = await bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE parent IS NOT NULL");
  return { parent, child: cairn.run(row!.id) };
}

describe("soft delete", () => {
  it("of a child rejects the call of its parent", async () => {
    const bed = await storeBed();
    const { parent, child } = await parkedFamily(bed);
    await child.delete("by mistake");
    await expect(parent.result()).rejects.toMatchObject({
      name: "RunCancelled",
      message: `The run ${child.id} was deleted`,
    });
    await expect(child.result()).rejects.toMatchObject({ code: "RunDeleted" });
    expect(await bed.query("SELECT FROM cairn.queue")).toEqual([]);
  });

  it("of a child that someone holds rejects the call of its parent", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const parent = await cairn.start(guardian);
    const { id } = await until(
      async () => (await bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE parent = $1", parent.id))[0],
    );
    await cairn.run(id).delete("by mistake");
    await expect(parent.result()).rejects.toMatchObject({ name: "RunCancelled" });
    await expect(cairn.run(id).result()).rejects.toMatchObject({ code: "RunDeleted" });
  });

  it("of a run that nobody holds deletes the children that it waits for", async () => {
    const bed = await storeBed();
    const { parent, child } = await parkedFamily(bed);
    await parent.delete("no longer wanted");
    await expect(child.result()).rejects.toMatchObject({ code: "RunDeleted" });
    await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 0);
    const rows = await bed.query("SELECT status, deleted_at IS NOT NULL AS deleted, ended_at FROM cairn.runs");
    expect(rows).toEqual(Array.from({ length: 2 }, () => ({ status: "pending", deleted: true, ended_at: null })));
  });

  it("of an ended run tells nobody", async () => {
    const bed = await storeBed();
    const { parent, child } = await parkedFamily(bed);
    for (const value of ["a", "b"]) await child.signal("approval", value);
    expect(await parent.result()).toEqual(["a", "b"]);
    await child.delete();
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
  });

  it("of a run that someone holds is seen at once, and the run goes when its owner has read of it", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const run = await cairn.start(approved);
    await run.delete();
    await expect(run.result()).rejects.toMatchObject({ code: "RunDeleted" });
    await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 0);
    await expect(run.signal("approval", "x")).rejects.toMatchObject({ code: "RunDeleted" });
  });
});
