import { encodeNative } from "@cairnjs/ir";
import type { RunNews } from "@cairnjs/control-plane";
import { elapsed, errorTitle, valueText } from "cairnjs/testing/internal";
import type { Output } from "../output/output.ts";

/** The last digits are chance: enough to tell runs apart. */
const ID_SHOWN = 6;

/** Of a workflow that takes no input. */
const UNDEFINED = encodeNative(undefined);

/** One line for people. */
export function newsText(news: RunNews, output: Output): string {
  const who = `${output.paint("dim", news.runId.slice(-ID_SHOWN))} ${output.paint("bold", news.type)}`;
  const [mark, text] = described(news, output);
  return `${mark} ${who}  ${text}`.trimEnd();
}

/** One line for programs: values stand in it as they are encoded. */
export function newsLine(news: RunNews): string {
  const value = "value" in news && news.value !== null ? { value: JSON.parse(news.value) as unknown } : {};
  return JSON.stringify({ ...news, ...value });
}

function described(news: RunNews, output: Output): readonly [string, string] {
  const good = output.paint("green", "✓");
  const bad = output.paint("red", "✗");
  switch (news.kind) {
    case "started":
      return [output.paint("cyan", "▶"), news.value === UNDEFINED ? "started" : `started ${shown(news.value)}`];
    case "found":
      return [output.paint("cyan", "▶"), "was under way, and goes on"];
    case "step":
      return [news.outcome === "failed" ? bad : good, stepText(news, output)];
    case "try":
      return [output.paint("yellow", "↻"), tryText(news, output)];
    case "waits":
      return [output.paint("dim", "…"), output.paint("dim", waitingText(news))];
    case "ended": {
      const style = news.status === "succeeded" ? "green" : "red";
      const value = news.status === "succeeded" ? shown(news.value) : errorText(news.value);
      return [news.status === "succeeded" ? good : bad, `${output.paint(["bold", style], news.status)} ${value}`];
    }
  }
}

function stepText(news: Extract<RunNews, { kind: "step" }>, output: Output): string {
  const { node, name, outcome, value, attempt, tookMs } = news;
  const step = `${output.paint("cyan", node)}${name === null || name === node ? "" : ` ${name}`}`;
  const took = tookMs === null ? "" : output.paint("dim", ` ${elapsed(tookMs)}`);
  const again = attempt > 1 ? output.paint("dim", ` (try ${attempt})`) : "";
  switch (outcome) {
    case "succeeded":
      return `${step} → ${shown(value)}${took}${again}`;
    case "failed":
      return `${step} → ${errorText(value)}${took}${again}`;
    case "signalled":
      return `signal ${name ?? ""} ${shown(value)}`;
    case "elapsed":
      return `${step} slept`;
    case "cancelled":
      return "is cancelled";
    case "again":
      return `begins again, attempt ${attempt}`;
  }
}

function tryText(news: Extract<RunNews, { kind: "try" }>, output: Output): string {
  const { node, name, outcome, value, attempt, retryAt } = news;
  const why = outcome === "lost" ? "was lost, and is made again" : errorText(value);
  const next = retryAt === null ? "" : output.paint("dim", `, again at ${new Date(retryAt).toLocaleTimeString()}`);
  return `${output.paint("cyan", node)} ${name} try ${attempt}: ${why}${next}`;
}

function waitingText({ phase, waitingFor, until }: Extract<RunNews, { kind: "waits" }>): string {
  const isSleeping = phase === "sleeping";
  const what = isSleeping ? "sleeps" : waitingFor === null ? phase : `waits for ${waitingFor}`;
  return until === null ? what : `${what} until ${new Date(until).toLocaleTimeString()}`;
}

function shown(value: string | null): string {
  return value === null ? "" : valueText(value);
}

function errorText(value: string | null): string {
  return value === null ? "an error" : errorTitle(value);
}
