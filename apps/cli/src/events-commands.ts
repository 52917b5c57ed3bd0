import type { Command } from "commander";
import type { LetterFlags, ListOutboxFlags } from "./commands/outbox.ts";
import type { SetSubscriptionFlags } from "./commands/subscriptions.ts";
import type { WatchEventsFlags } from "./commands/events.ts";
import { clientOf, type Operating, wholeNumber } from "./operating.ts";
import { OPERATOR_SETTINGS } from "./settings/known-settings.ts";
import { addSettings } from "./settings/setting-flags.ts";

type Json = { readonly json?: true };

/** `cairn events …`, `cairn subscriptions …` and `cairn outbox …`. */
export function addEvents(program: Command, operating: Operating): void {
  const events = program.command("events").description("what happens to runs");
  addWatch(events, operating);
  const subscriptions = program.command("subscriptions").description("look at who gets which events, and change it");
  addSet(subscriptions, operating);
  addSubscriptions(subscriptions, operating);
  const outbox = program.command("outbox").description("look at events for others, and at what was not taken");
  addOutbox(outbox, operating);
  addLetters(outbox, operating);
  for (const command of [...events.commands, ...subscriptions.commands, ...outbox.commands]) {
    addSettings(command.option("--json", "one line of JSON"), OPERATOR_SETTINGS);
  }
}

function addWatch(events: Command, { output, done }: Operating): void {
  events
    .command("watch")
    .description("show what happens to runs as it happens, a line each, until Ctrl-C")
    .option("--type <type>", "to runs of this type, or of such a beginning (billing.*)")
    .option("--kind <list>", "such as failed, cancelled; several with commas between")
    .option("--tag <tag>", "to runs with this tag")
    .option("--after <cursor>", "behind this event, as --json has it; else from now on")
    .action(async (flags: WatchEventsFlags) => {
      const { watchEvents } = await import("./commands/events.ts");
      done(await watchEvents(await clientOf(flags), flags, output));
    });
}

function addSet(subscriptions: Command, { output, done }: Operating): void {
  subscriptions
    .command("set")
    .description("make a subscription, or make it what is said; what is not said is as usual")
    .argument("<name>", "of the subscription")
    .requiredOption("--types <list>", "of events: order.paid.v1, order.*, *; with commas between")
    .option("--webhook <url>", "where each event is sent by POST")
    .option(
      "--secrets <list>",
      "by which it is signed: secret:NAME, or variables or files of the control plane, with commas between",
    )
    .option("--nats <url>", "NATS JetStream")
    .option("--subject <subject>", "there: events are published as subject.type")
    .option("--file <path>", "on the control plane's machine: a line of JSON each")
    .option("--target <json>", "what the other flags cannot say")
    .option("--max-attempts <count>", "of one event (15)", wholeNumber(1, 1_000))
    .option("--timeout <length>", "of one attempt (10s)")
    .option("--backoff <length>", "before the second attempt (1s)")
    .option("--backoff-max <length>", "at most (5m)")
    .action(async (name: string, flags: SetSubscriptionFlags) => {
      const { setSubscription } = await import("./commands/subscriptions.ts");
      done(await setSubscription(await clientOf(flags), name, flags, output));
    });
}

function addSubscriptions(subscriptions: Command, { output, done }: Operating): void {
  const one = (command: string, description: string): Command =>
    subscriptions.command(command).description(description).argument("<name>", "of the subscription");
  subscriptions
    .command("list")
    .description("list subscriptions, and how they do")
    .action(async (flags: Json) => {
      const { listSubscriptions } = await import("./commands/subscriptions.ts");
      done(await listSubscriptions(await clientOf(flags), flags, output));
    });
  one("show", "show a subscription").action(async (name: string, flags: Json) => {
    const { showSubscription } = await import("./commands/subscriptions.ts");
    done(await showSubscription(await clientOf(flags), name, flags, output));
  });
  for (const order of ["pause", "resume"] as const) {
    const command = one(
      order,
      order === "pause" ? "what it wants waits until it is resumed" : "let a paused one go on",
    );
    if (order === "pause") command.option("--reason <text>", "for people");
    command.action(async (name: string, flags: Json & { reason?: string }) => {
      const { orderSubscription } = await import("./commands/subscriptions.ts");
      done(await orderSubscription(await clientOf(flags), order, name, flags, output));
    });
  }
  one("test", "send one event, from the control plane; exit code 1 if it is not taken").action(
    async (name: string, flags: Json) => {
      const { testSubscription } = await import("./commands/subscriptions.ts");
      done(await testSubscription(await clientOf(flags), name, flags, output));
    },
  );
  one("delete", "delete a subscription, with what waits for it")
    .option("--yes", "do not ask")
    .action(async (name: string, flags: Json & { yes?: true }) => {
      const { deleteSubscription } = await import("./commands/subscriptions.ts");
      done(await deleteSubscription(await clientOf(flags), name, flags, output));
    });
}

function addOutbox(outbox: Command, { output, done }: Operating): void {
  outbox
    .command("stats")
    .description("how many events wait, and who publishes them")
    .action(async (flags: Json) => {
      const { outboxStats } = await import("./commands/outbox.ts");
      done(await outboxStats(await clientOf(flags), flags, output));
    });
  outbox
    .command("list")
    .description("list events, the newest first")
    .option("--state <state>", "pending, waiting, dead or published")
    .option("--type <type>", "of this type alone")
    .option("--run <id>", "of this run alone")
    .option("--subscription <name>", "that this one has not taken")
    .option("--limit <count>", "at most so many", wholeNumber(1, 1_000_000), 50)
    .action(async (flags: ListOutboxFlags) => {
      const { listOutbox } = await import("./commands/outbox.ts");
      done(await listOutbox(await clientOf(flags), flags, output));
    });
  outbox
    .command("show")
    .description("show an event, and for whom it waits")
    .argument("<id>", "of the event", wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .action(async (id: number, flags: Json) => {
      const { showEvent } = await import("./commands/outbox.ts");
      done(await showEvent(await clientOf(flags), id, flags, output));
    });
}

function addLetters(outbox: Command, { output, done }: Operating): void {
  for (const change of ["redrive", "discard"] as const) {
    const command = outbox
      .command(change)
      .description(change === "redrive" ? "offer dead letters again" : "give dead letters up for good")
      .argument("[id]", "of an event", wholeNumber(1, Number.MAX_SAFE_INTEGER))
      .option("--subscription <name>", "those of this one")
      .option("--type <type>", "those of this type")
      .option("--run <id>", "those of this run")
      .option("--all", "all of the namespace");
    if (change === "discard") command.option("--yes", "do not ask");
    command.action(async (id: number | undefined, flags: LetterFlags) => {
      const { changeLetters } = await import("./commands/outbox.ts");
      done(await changeLetters(await clientOf(flags), change, id, flags, output));
    });
  }
}
