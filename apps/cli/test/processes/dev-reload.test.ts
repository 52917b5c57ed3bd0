import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { build } from "../command.ts";
import { flow, pidIn, startDev, until } from "./dev-project.ts";
import { cairnOnce, installedProject, isAlive, write } from "./processes.ts";

beforeAll(build);

describe("cairn dev", () => {
  it("takes code as it changes: calls of the old code end, runs go on, new ones have the new code", async () => {
    const folder = installedProject({ "workflows/demo.ts": flow("one") });
    const { dev, run, bed } = await startDev(folder);
    await dev.says("The worker is ready: demo.");
    await dev.says(/Try next: npx cairn run demo\.waits\.v1 .* --input '"…"' --wait/);
    const file = join(folder, "go");
    const [waiting, sleeping] = [run("demo.waits.v1", file), run("demo.sleeps.v1")];
    const old = await pidIn(`${file}.begun`);
    await dev.says(/demo\.sleeps\.v1 {2}sleeps until/);
    const before = dev.text().length;
    write(folder, "workflows/demo.ts", flow("two"));
    await dev.says("The worker is ready", before);
    expect(await run("demo.now.v1")).toMatchObject({ result: { body: "two", action: "two" } });
    expect(isAlive(old)).toBe(true);
    write(folder, "go", "");
    // The call ended where it ran; what came after it found the code of now, and the body is what it was.
    expect(await waiting).toMatchObject({ result: { slow: "one", then: "two" } });
    await bed.advance(3_600_000);
    expect(await sleeping).toMatchObject({ result: { before: "one", after: "two", body: "one" } });
    await until(() => !isAlive(old));
    expect(dev.text()).toMatch(/✓ \w{6} demo\.waits\.v1 {2}\S+ demo\.slow\.v1 → "one"/);
    expect(dev.text()).not.toContain("was lost");
    // Code that was there before is current again.
    const again = dev.text().length;
    write(folder, "workflows/demo.ts", flow("one"));
    await dev.says("The worker is ready", again);
    expect(await run("demo.now.v1")).toMatchObject({ result: { body: "one", action: "one" } });
  });

  it("says what is wrong as cairn check does, and goes on with the code from before", async () => {
    const folder = installedProject({ "src/workflows.ts": flow("one") });
    const { dev, run } = await startDev(folder);
    await dev.says("The worker is ready");
    write(folder, "src/workflows.ts", flow("two").replace("await quick() }));", "await fetch('x') }));"));
    await dev.says("The worker goes on with the code from before");
    const checked = await cairnOnce(folder, ["check", "src"]);
    expect(dev.text()).toContain(checked.stdout.split("\n").slice(0, 5).join("\n"));
    expect(await run("demo.now.v1")).toMatchObject({ result: { body: "one" } });
    const failing = dev.text().length;
    write(folder, "src/workflows.ts", `${flow("two")}\nthrow new Error("not today");\n`);
    await dev.says("not today", failing);
    await dev.says("The worker could not begin: the one from before goes on", failing);
    const good = dev.text().length;
    write(folder, "src/workflows.ts", flow("three"));
    await dev.says("The worker is ready", good);
    expect(await run("demo.now.v1")).toMatchObject({ result: { body: "three" } });
    const gone = dev.text().length;
    rmSync(join(folder, "src/workflows.ts"));
    await dev.says("There are no modules in", gone);
  });
});
