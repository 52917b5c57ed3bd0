import { action, emit, workflow } from "cairnjs";

type Event =
  | { type: "opened"; owner: string; at: Date }
  | { type: "deposited"; amount: bigint }
  | { type: "withdrawn"; amount: bigint; memo?: string }
  | { type: "closed" };

interface Account {
  owner: string;
  balance: bigint;
  status: "new" | "open" | "closed";
  history: readonly string[];
}

class RuleBroken extends Error {
  readonly event: Event;
  constructor(message: string, event: Event) {
    super(`§${message}`);
    this.event = event;
  }
}

const appendEvents = action("appendEvents", async (stream: string, events: Event[]) => ({
  stream,
  version: events.length,
}));
const readEvents = action("readEvents", async (): Promise<Event[]> => [
  { type: "opened", owner: "cy", at: new Date(0) },
  { type: "deposited", amount: 10_000_000_000_000_000_001n },
]);

const initial: Account = Object.freeze({ owner: "", balance: 0n, status: "new", history: [] });

const reducers: { [T in Event["type"]]: (account: Account, event: Extract<Event, { type: T }>) => Account } = {
  opened: (account, { owner, at }) => ({ ...account, owner, status: "open", history: [`opened ${at.toISOString()}`] }),
  deposited: (account, { amount }) => ({ ...account, balance: account.balance + amount }),
  withdrawn: (account, event) => {
    if (event.amount > account.balance) throw new RuleBroken("not enough", event);
    const { amount, memo = "no memo" } = event;
    return { ...account, balance: account.balance - amount, history: [...account.history, memo] };
  },
  closed: (account) => ({ ...account, status: "closed" }),
};

const apply = (account: Account, event: Event): Account => {
  if (account.status === "closed") throw new RuleBroken("the account is closed", event);
  const reduce = reducers[event.type] as (account: Account, event: Event) => Account;
  return reduce(account, event);
};

export const input: Event[] = [
  { type: "withdrawn", amount: 5n, memo: "coffee" },
  { type: "withdrawn", amount: 2n ** 80n },
  { type: "deposited", amount: -1n },
  { type: "closed" },
  { type: "deposited", amount: 1n },
];

export default workflow("ledger", async (commands: Event[]) => {
  let account = (await readEvents()).reduce(apply, initial);
  const accepted: Event[] = [];
  const rejected: { event: Event; reason: string }[] = [];
  for (const event of commands) {
    try {
      account = apply(account, event);
      accepted.push(event);
    } catch (error) {
      if (!(error instanceof RuleBroken)) throw error;
      rejected.push({ event: error.event, reason: error.message });
    }
  }
  const { version } = await appendEvents("ledger-1", accepted);
  emit("ledger.changed", { version, balance: account.balance });
  return {
    account,
    rejected,
    same: accepted[0] === commands[0],
    frozen: Object.isFrozen(initial),
    unchanged: initial.balance === 0n,
  };
});
