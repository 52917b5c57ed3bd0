import { action, emit, step, workflow } from "cairnjs";

interface Call {
  tool: string;
  args: Record<string, unknown>;
}

interface Turn {
  thought: string;
  calls: Call[];
  answer?: string;
}

class UnknownTool extends Error {
  constructor(readonly tool: string) {
    super(`§no tool ${tool}`);
  }
}

const tools = {
  search: action("search", async ({ query }: Record<string, unknown>) => [`result for ${String(query)}`, "another"]),
  weather: action("weather", async ({ city }: Record<string, unknown>) => ({
    city,
    celsius: String(city).length - 3.5,
  })),
  add: async ({ a, b }: Record<string, unknown>) => Number(a) + Number(b),
  upper: ({ text }: Record<string, unknown>) => String(text).toUpperCase(),
};

type ToolName = keyof typeof tools;

const think = action("think", async (history: string[]): Promise<Turn> => {
  const round = history.filter((line) => line.startsWith("thought")).length;
  const turns: Turn[] = [
    {
      thought: "look around",
      calls: [
        { tool: "search", args: { query: "cairn" } },
        { tool: "weather", args: { city: "Oslo" } },
      ],
    },
    {
      thought: "compute",
      calls: [
        { tool: "add", args: { a: 2, b: "40" } },
        { tool: "upper", args: { text: "straße" } },
        { tool: "fly", args: {} },
      ],
    },
    { thought: "finish", calls: [], answer: `done after ${history.length} lines` },
  ];
  return turns[Math.min(round, turns.length - 1)]!;
});

const isTool = (name: string): name is ToolName => Object.hasOwn(tools, name);

async function invoke({ tool, args }: Call): Promise<string> {
  if (!isTool(tool)) throw new UnknownTool(tool);
  const result: unknown = await tools[tool](args);
  return JSON.stringify(result, (_, value) => (typeof value === "number" ? Number(value.toFixed(1)) : value));
}

export const input = { goal: "see the world", turns: 6 };

export default workflow("agent.loop", async ({ goal, turns }: { goal: string; turns: number }) => {
  const history = [`goal ${goal}`];
  const usage = { calls: 0, failures: 0, byTool: {} as Record<string, number> };
  for (let turn = 1; turn <= turns; turn++) {
    let next: Turn;
    try {
      next = await think([...history]);
    } catch (error) {
      history.push(`no thought: ${(error as Error)?.name ?? String(error)}`);
      continue;
    }
    history.push(`thought ${next.thought}`);
    if (next.answer !== undefined) {
      emit("agent.answered", { turn, answer: next.answer });
      const summary = await step("summarise", async () => ({ lines: history.length, last: history.at(-1), goal }));
      return { answer: next.answer, usage, summary };
    }
    const results = await Promise.allSettled(next.calls.map(invoke));
    results.forEach((result, index) => {
      const { tool } = next.calls[index]!;
      usage.calls++;
      usage.byTool[tool] = (usage.byTool[tool] ?? 0) + 1;
      if (result.status === "fulfilled") history.push(`${tool} = ${result.value}`);
      else {
        usage.failures++;
        const { reason } = result;
        history.push(reason instanceof UnknownTool ? `unknown ${reason.tool}` : `${tool} failed`);
      }
    });
    console.debug(turn, history.length);
  }
  return { answer: null, usage, history };
});
