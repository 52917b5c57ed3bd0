import { type Image, deliver, measureState, newMachine } from "../src/index.ts";
import { answerTo, imageOf, startInput } from "./runs.ts";

/** What an expression costs, on values of some size. */
export interface Cost {
  /** Of the second input, the one that evaluates the expression: instructions and charges. */
  readonly fuel: number;
  /** The charges alone, fuel and bytes. */
  readonly charges: string;
  /** The size of the state afterwards. */
  readonly state: number;
}

/** In scope of every expression, with the size `n`. */
const PREAMBLE = `
const list = (count: number): any[] => { const made: any[] = []; for (let i = 0; i < count; i++) made.push(i); return made; };
const text = (count: number): any => "x".repeat(count);
const words = (count: number): any => "ab ".repeat(count);
const query = (count: number): any => "b=1&a=2&".repeat(count);
const record = (count: number): any => { const made: any = {}; for (let i = 0; i < count; i++) made["k" + i] = i; return made; };
const pairs = (count: number): any[] => list(count).map((i) => ["k" + i, i]);
const url = (count: number): any => new URL("https://u:p@host.example/" + text(count) + "?b=1&a=2#f");
`;

/** The expression stands alone in the input that answers the first action; its value lives until the next one. */
export function expressionImage(before: string, expression: string): Image {
  return imageOf(`
import { ActionCancelled, ActionTimeout, InvalidInput, InvalidOutput, NoHandlerRegistered, NotStorable, RunCancelled, SignalTimeout, StepChanged } from "cairnjs";
const act = action("act", async (value: unknown): Promise<any> => value);
const child = workflow("child", async (input: any): Promise<any> => input);
const go = signal<any>("go");
export default workflow("test.body", async (n: any): Promise<any> => {
  ${PREAMBLE} ${before}
  await act(0);
  const made: any = ${expression === "" ? "0" : expression};
  await act(1);
  return typeof made;
});`);
}

export function costOf(image: Image, size: number): Cost {
  const machine = newMachine(image);
  const started = deliver(machine, startInput(String(size)));
  const call = started.done ? started.effects.find(({ kind }) => kind === "call") : undefined;
  if (call === undefined) throw new Error(`there is no call: ${JSON.stringify(started).slice(0, 500)}`);
  const charge = machine.charge.bind(machine);
  let [fuelSum, bytesSum] = [0, 0];
  machine.charge = (fuel, bytes) => {
    fuelSum += Math.ceil(fuel);
    bytesSum += Math.ceil(bytes);
    charge(fuel, bytes);
  };
  const delivery = deliver(machine, answerTo(call, 1_000)!);
  const end = delivery.done ? delivery.effects.find(({ kind }) => kind === "end") : undefined;
  if (end !== undefined) throw new Error(`it ended: ${JSON.stringify(end).slice(0, 500)}`);
  return { fuel: machine.fuelUsed, charges: `${fuelSum} ${bytesSum}`, state: measureState(machine) };
}
