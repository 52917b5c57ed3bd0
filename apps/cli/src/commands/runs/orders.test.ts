import { expect, it } from "vitest";
import { Output } from "../../output/output.ts";
import { NoAnswer, Refusal, type RestClient } from "../../rest/rest-client.ts";
import { orderRuns } from "./orders.ts";

function opened(isTTY: boolean) {
  const texts = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({ isTTY, write: (text: string) => ((texts[name] += text), true) });
  const client = {
    post: async (path: string) => {
      const id = path.split("/")[2]!;
      if (id === "gone") throw new Refusal({ code: "NotFound", detail: "There is no run gone" });
      if (id === "away") throw new NoAnswer("No control plane answers");
      return { id, status: "leased", phase: "cancelling" };
    },
  } as unknown as RestClient;
  return { texts, client, output: new Output(stream("out"), stream("err")) };
}

const cancelled = ["a", "b"].map((id) => ({ id, status: "leased", phase: "cancelling" }));

it("what was done before nobody answered any more is told", async () => {
  const { texts, client, output } = opened(false);
  const order = (ids: string[]) => orderRuns(client, "cancel", ids, { json: true, yes: true }, output);
  await expect(order(["a", "gone", "b", "away", "c"])).rejects.toThrow("No control plane answers");
  expect(JSON.parse(texts.out)).toEqual({
    runs: cancelled,
    refused: [{ id: "gone", code: "NotFound", message: "NotFound: There is no run gone" }],
  });
  texts.out = "";
  await expect(order(["away", "a"])).rejects.toThrow("No control plane answers");
  expect(texts.out).toBe("");
});

it("of many it is shown how far it is, on terminals alone", async () => {
  for (const isTTY of [true, false]) {
    const { texts, client, output } = opened(isTTY);
    expect(await orderRuns(client, "cancel", ["a", "b"], { yes: true }, output)).toBe(0);
    expect(texts.err.includes("2/2")).toBe(isTTY);
  }
});
