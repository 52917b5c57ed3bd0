import { action } from "cairnjs";
import { expect, it } from "vitest";
import { registeredJob } from "../../src/library/registered-job.ts";
import { registerJobs } from "../../src/store/register-jobs.ts";
import { testBed, until } from "../support/test-engine.ts";
import { beside } from "../workflows/jobs.ts";

it("a workflow cannot have the name of an action that is registered, and whoever is refused leaves nothing behind", async () => {
  const bed = await testBed();
  await registerJobs(bed.sql, "default", [registeredJob("shop.beside.v1", 3, null)]);
  await expect(bed.open()).rejects.toMatchObject({
    code: "VersionConflict",
    message: expect.stringMatching(
      /^shop.beside.v1 is registered as an action: .* Give the workflow another name/,
    ) as string,
  });
  await until(
    async () =>
      (await bed.query("SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"))
        .length === 0,
  );
  const cairn = await bed.open({ namespace: "elsewhere" });
  expect(await (await cairn.start(beside, "x")).result()).toBe("x.webm");
});

// The last one: what is declared stays declared.
it("an action cannot have the name of a workflow; others that are registered with it are all the same", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const jobs = ["shop.beside.v1", "shop.aside.v1"].map((name) => registeredJob(name, 3, null));
  const refusal =
    "shop.beside.v1 is registered as a workflow: nobody would know what a start of it means. Give the action another name.";
  await expect(registerJobs(bed.sql, "default", jobs)).rejects.toThrow(refusal);
  expect(await bed.query("SELECT FROM cairn.current_versions WHERE name = 'shop.aside.v1'")).toHaveLength(1);
  const clashing = action("shop.beside.v1", async () => 1);
  await expect(cairn.register(clashing)).rejects.toMatchObject({ code: "VersionConflict", message: refusal });
  await expect(cairn.start(clashing)).rejects.toMatchObject({ code: "VersionConflict" });
});
