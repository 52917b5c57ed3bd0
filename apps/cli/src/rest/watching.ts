import { CairnError, type FollowOptions } from "cairnjs/client";
import type { Output } from "../output/output.ts";
import { Refusal } from "./rest-client.ts";

/** That a control plane is lost is said beside the output: once, until it is back. */
export function tellingLost(output: Output): Required<Pick<FollowOptions, "onLost">> {
  return { onLost: ({ message }) => output.note(`${message}; it is tried again`) };
}

/** What ends a command that watches, in one line. */
export function refusalOf(error: unknown): unknown {
  return error instanceof CairnError ? new Refusal({ code: error.code, detail: error.detail }) : error;
}
