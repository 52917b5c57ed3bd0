import { action, progress, signal, workflow } from "cairnjs";

type State = "draft" | "review" | "approved" | "rejected" | "published" | "archived";
type Command = { name: string; by: string; reason?: string };

class NotAllowed extends Error {
  constructor(
    readonly state: State,
    readonly command: string,
  ) {
    super(`§${command} is not allowed in ${state}`);
    this.name = "NotAllowed";
  }
}

const publish = action(
  "publish",
  async (document: string) => new URL(`https://example.com/${encodeURIComponent(document)}?v=1`),
);
const tell = action("tell", async (who: string, what: string) => `${who}: ${what}`);
const commands = signal<Command>("commands");

interface Transition {
  to: State;
  allowed?: (command: Command, context: Context) => boolean;
  run?: (command: Command, context: Context) => Promise<void>;
}

interface Context {
  document: string;
  reviewers: Set<string>;
  approvals: string[];
  url: URL | null;
}

const MACHINE: Record<State, Record<string, Transition>> = {
  draft: { submit: { to: "review" }, archive: { to: "archived" } },
  review: {
    approve: {
      to: "approved",
      allowed: ({ by }, { reviewers }) => reviewers.has(by),
      run: async ({ by }, context) => {
        context.approvals.push(by);
        await tell("author", `approved by ${by}`);
      },
    },
    reject: { to: "rejected", run: async ({ reason = "no reason" }) => void (await tell("author", reason)) },
  },
  approved: {
    publish: {
      to: "published",
      run: async (_, context) => {
        context.url = await publish(context.document);
      },
    },
  },
  rejected: { submit: { to: "review" } },
  published: { archive: { to: "archived" } },
  archived: {},
};

export const input = { document: "Käse & Co", reviewers: ["ann", "bob"] };

export const signals = {
  commands: [
    { name: "submit", by: "me" },
    { name: "approve", by: "me" },
    { name: "reject", by: "ann", reason: "typos" },
    { name: "publish", by: "me" },
    { name: "submit", by: "me" },
    { name: "approve", by: "bob" },
    { name: "publish", by: "me" },
    { name: "archive", by: "me" },
  ],
};

export default workflow("publishing", async ({ document, reviewers }: { document: string; reviewers: string[] }) => {
  const context: Context = { document, reviewers: new Set(reviewers), approvals: [], url: null };
  const trail: unknown[] = [];
  let state: State = "draft";
  while (Object.keys(MACHINE[state]).length > 0 && trail.length < 20) {
    const command = await commands.wait();
    try {
      const transition = MACHINE[state][command.name];
      if (transition === undefined || transition.allowed?.(command, context) === false)
        throw new NotAllowed(state, command.name);
      await transition.run?.(command, context);
      trail.push([state, transition.to]);
      state = transition.to;
      progress(state);
    } catch (error) {
      trail.push(error instanceof NotAllowed ? [error.name, error.state, error.command] : ["failed", state, error]);
    }
  }
  return { state, trail, context: { ...context, host: context.url?.host, path: context.url?.pathname } };
});
