import { action, emit, signal, sleep, workflow } from "cairnjs";

type Direction = "north" | "south" | "east" | "west";

interface Room {
  readonly name: string;
  readonly exits: Partial<Record<Direction, string>>;
  readonly items: readonly string[];
}

const ROOMS: Record<string, Room> = {
  hall: { name: "Hall", exits: { north: "cave", east: "shop" }, items: ["lamp"] },
  cave: { name: "Cave", exits: { south: "hall" }, items: ["gold", "rope"] },
  shop: { name: "Shop", exits: { west: "hall" }, items: [] },
};

const say = action("say", async (text: string) => text);
const commands = signal<string>("commands");

export const signals = {
  commands: [
    "look",
    "take lamp",
    "go north",
    "take gold",
    "take gold",
    "drop rope",
    "go up",
    "go south",
    "dance",
    "go east",
    "sell gold",
    "quit",
  ],
};

export default workflow("adventure", async () => {
  const world = new Map(Object.entries(ROOMS).map(([id, room]) => [id, { ...room, items: new Set(room.items) }]));
  const player = {
    at: "hall",
    bag: new Set<string>(),
    coins: 0,
    get(id: string) {
      return world.get(id);
    },
    describe() {
      const room = this.get(this.at)!;
      const seen = [...room.items].map((item) => `a ${item}`).join(", ") || "nothing";
      return `${room.name}: ${seen}. Exits: ${Object.keys(room.exits).join()}`;
    },
  };
  const verbs: Record<string, (...words: string[]) => string | Promise<string>> = {
    look: () => player.describe(),
    go(direction) {
      const target = player.get(player.at)!.exits[direction as Direction];
      if (target === undefined) return `You cannot go ${direction}.`;
      if (target === "cave" && !player.bag.has("lamp")) return "It is too dark.";
      player.at = target;
      return player.describe();
    },
    take: (item) =>
      player.get(player.at)!.items.delete(item!) ? (player.bag.add(item!), `Taken: ${item}.`) : `There is no ${item}.`,
    drop: (item) => {
      if (!player.bag.delete(item!)) return `You have no ${item}.`;
      player.get(player.at)!.items.add(item!);
      return "Dropped.";
    },
    sell: async (item) => {
      if (player.at !== "shop" || !player.bag.delete(item!)) return "Nobody buys that.";
      await sleep("1 s");
      player.coins += item === "gold" ? 100 : 1;
      emit("sold", { item, coins: player.coins });
      return `You have ${player.coins} coins.`;
    },
  };
  const transcript: string[] = [];
  for (let turn = 1; ; turn++) {
    const line = await commands.wait();
    const [verb = "", ...words] = line.toLowerCase().trim().split(/\s+/);
    if (verb === "quit" || turn > 30) break;
    const known = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    const reply = (await known?.(...words)) ?? `I do not know how to ${verb}.`;
    try {
      transcript.push(`${turn}> ${line}: ${await say(reply)}`);
    } catch {
      transcript.push(`${turn}> (silence)`);
    }
  }
  return {
    transcript,
    bag: player.bag,
    coins: player.coins,
    rooms: [...world].map(([id, { items }]) => [id, [...items]]),
  };
});
