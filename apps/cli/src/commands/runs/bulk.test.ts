import type { BulkRunsAnswer } from "@cairnjs/schemas/rest";
import { expect, it } from "vitest";
import { Output } from "../../output/output.ts";
import type { RestClient } from "../../rest/rest-client.ts";
import { orderMany } from "./bulk.ts";

type Dry = Pick<BulkRunsAnswer, "matched" | "done" | "next">;

/** What people at a terminal are asked before runs of which a dry run says this are cancelled; they say no, so nothing may be done. */
async function askedOf(dry: Dry): Promise<string[]> {
  const asked: string[] = [];
  const answer: BulkRunsAnswer = { refused: [], sample: [], ...dry };
  const client = {
    post: async (_: string, body: { readonly dryRun?: boolean }) => {
      if (body.dryRun !== true) throw new Error("It is done");
      return answer;
    },
  } as unknown as RestClient;
  const refuse = async (question: string): Promise<void> => {
    asked.push(question);
    throw new Error("No");
  };
  const stream = { isTTY: true, write: () => true };
  const order = orderMany(client, "cancel", { tag: ["x"] }, new Output(stream, stream), undefined, refuse);
  await expect(order).rejects.toThrow(/^(No|It is done)$/);
  return asked;
}

it("people are asked before runs are changed, however many of them were counted", async () => {
  expect(await askedOf({ matched: 3, done: 2, next: null })).toEqual(["cancel 2 runs?"]);
  expect(await askedOf({ matched: 3, done: 2, next: "r" })).toEqual(["cancel at least 2 runs?"]);
  // Those that were counted refuse, or none was found yet: behind them there are others.
  expect(await askedOf({ matched: 100_000, done: 0, next: "r" })).toEqual([
    "100000 runs counted, and all refuse it, but there may be more: cancel those?",
  ]);
  expect(await askedOf({ matched: 0, done: 0, next: "r" })).toEqual([
    "none was found so far, but there may be more: cancel those?",
  ]);
  expect(await askedOf({ matched: 3, done: 0, next: null })).toEqual([]);
});
