import type { Scope } from "@cairnjs/schemas";
import type { SocketRequest } from "@cairnjs/schemas/rest";
import { Refused } from "../../hub/refused.ts";
import { isRunId } from "../../ids.ts";
import { missingError } from "../../library/engine-error.ts";
import type { Engine } from "../../library/engine.ts";
import { requireRun } from "../../library/require-run.ts";
import type { LiveSource } from "../../live/live-source.ts";
import { followAudit, followEvents, followRun } from "./sources.ts";

type Subscribe = Extract<SocketRequest, { readonly op: "subscribe" }>;

/** What can be subscribed to. */
interface TopicKind {
  /** Before the colon. */
  readonly name: string;
  readonly scope: Scope;
  /** Of `name:id`; rejects if there is no such thing in the namespace. */
  readonly one?: (engine: Engine, namespace: string, id: string, asked: Subscribe) => Promise<LiveSource>;
  /** Of `name:*`. */
  readonly all?: (engine: Engine, namespace: string, asked: Subscribe) => Promise<LiveSource>;
}

const TOPICS: readonly TopicKind[] = [
  {
    name: "run",
    scope: "read",
    one: async (engine, namespace, id, { after, filter }) => {
      if (filter !== undefined) throw new Refused("InvalidMessage", "A filter is for run:*, and not for one run");
      if (!isRunId(id)) throw missingError(id);
      return followRun(engine, await requireRun(engine.client, namespace, id.toLowerCase()), after ?? null);
    },
    all: (engine, namespace, { after, filter = {} }) => {
      const { kind, ...others } = filter;
      return followEvents(
        engine,
        { namespace, ...others, ...(kind === undefined ? {} : { kinds: kind }) },
        after ?? null,
      );
    },
  },
  {
    name: "audit",
    scope: "admin",
    all: async (engine, namespace, { after, filter = {} }) => {
      const { type, ...others } = filter;
      if (Object.keys(others).length > 0)
        throw new Refused("InvalidMessage", "A filter of audit:* has a type: an action");
      return followAudit(engine, { namespace, ...(type === undefined ? {} : { type }) }, after ?? null);
    },
  },
];

export interface FoundTopic {
  readonly scope: Scope;
  readonly open: (engine: Engine, namespace: string, asked: Subscribe) => Promise<LiveSource>;
}

/** Throws `Refused` if there is none of that name. */
export function topicOf(topic: string): FoundTopic {
  const colon = topic.indexOf(":");
  const kind = TOPICS.find(({ name }) => name === topic.slice(0, Math.max(0, colon)));
  const id = topic.slice(colon + 1);
  const { one, all, scope } = kind ?? { scope: "read" };
  if (id === "*" && all !== undefined) return { scope, open: all };
  if (id === "*" || id === "" || one === undefined) {
    const known = TOPICS.flatMap((each) => [each.one && `${each.name}:ID`, each.all && `${each.name}:*`]).filter(
      Boolean,
    );
    throw new Refused("InvalidMessage", `There is no topic ${topic}: there are ${known.join(" and ")}`);
  }
  return { scope, open: (engine, namespace, asked) => one(engine, namespace, id, asked) };
}
