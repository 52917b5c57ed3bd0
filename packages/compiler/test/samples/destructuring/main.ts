import { workflow } from "cairnjs";

interface Order {
  id: string;
  lines: [string, number?][];
  note?: string;
}

export default workflow(
  "samples.destructuring",
  async ({ id, lines: [[name, price = 5], ...others], ...rest }: Order) => {
    const key = "no" + "te";
    const { [key]: note = () => "none", ...remaining } = rest as Record<string, unknown>;
    const target: Record<string, unknown> = {};
    let left = 1;
    let right = 2;
    [left, right] = [right, left];
    ({ id: target[id], name: target.name = left } = { id, name } as { id: string; name?: string });
    [, target.last, ...(target as any).more] = others;
    for (const { length } of [id]) right += length;
    return { name, price, note, remaining, target, left, right };
  },
);
