import { expect, it } from "vitest";
import { tokenName } from "../../src/access/token-name.ts";

it("tokens of the settings are told apart by few letters that say nothing of them, and by what they are for", () => {
  const [one, two] = [tokenName({ token: "one" }), tokenName({ token: "two" })];
  expect(one).toMatch(/^the token [0-9a-f]{4} \(all scopes\)$/);
  expect(one).not.toBe(two);
  expect(tokenName({ token: "one" })).toBe(one);
  const bound = tokenName({ token: "one", namespace: "billing", scopes: ["read", "worker"] });
  expect(bound).toBe(one.replace("(all scopes)", "of billing (read+worker)"));
});
