import { expect, it } from "vitest";
import { UsageMistake } from "../usage-mistake.ts";
import { RestClient } from "../rest/rest-client.ts";
import { jsonOf } from "./flag-values.ts";
import { expiryOf } from "./keys.ts";

it("values of flags are JSON, and numbers that nobody can hold are refused, where they would become null", () => {
  expect(jsonOf("--value", '{"a":[1,"x",null]}')).toEqual({ a: [1, "x", null] });
  for (const text of ["1e400", '{"a":[-1e400]}']) {
    expect(() => jsonOf("--value", text)).toThrow(new UsageMistake("--value: the number is out of range"));
  }
  expect(() => jsonOf("--value", "{")).toThrow("--value is not JSON");
});

it("keys expire at a time that there is", () => {
  expect(Date.parse(expiryOf("90d")!)).toBeGreaterThan(Date.now());
  for (const text of ["99999999d", "999999999999w", "9000w ago", "1999-01-01"]) {
    expect(() => expiryOf(text)).toThrow(UsageMistake);
  }
});

it("what is called . or .. is asked of nobody: another address would be", async () => {
  const client = new RestClient({ CAIRN_API_URL: "http://127.0.0.1:1" });
  for (const name of [".", ".."]) {
    await expect(client.get(`/secrets/${name}`)).rejects.toThrow(`nothing has the name or id "${name}"`);
  }
});
