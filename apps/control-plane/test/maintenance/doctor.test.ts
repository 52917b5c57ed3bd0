import { expect, it } from "vitest";
import { checkRetention } from "../../src/doctor/duty-checks.ts";
import { storeBed } from "../support/test-store.ts";

it("the doctor warns of a user who cannot drop what is over, since the tables are another's", async () => {
  const { client } = await storeBed();
  expect(await checkRetention(client)).toMatchObject({ state: "ok" });
  await client.query("SET ROLE pg_read_all_data");
  expect(await checkRetention(client)).toMatchObject({
    state: "warning",
    says: expect.stringMatching(/^pg_read_all_data does not own all tables of the schema cairn: /),
  });
});
