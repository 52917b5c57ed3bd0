import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { confirm } from "./confirm.ts";
import { Output } from "./output.ts";
import { Progress } from "./progress.ts";
import { tableLines } from "./table.ts";
import { lengthOfTime, relativeTime, timeGiven } from "./times.ts";

const NOW = Date.parse("2026-11-15T21:30:00Z");

function written(isTTY: boolean): { output: Output; out: () => string; err: () => string } {
  const texts = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    isTTY,
    write: (text: string) => {
      texts[name] += text;
      return true;
    },
  });
  return { output: new Output(stream("out"), stream("err")), out: () => texts.out, err: () => texts.err };
}

describe("what people see", () => {
  it("times are from now, in the largest unit", () => {
    expect(relativeTime("2026-11-15T21:29:58Z", NOW)).toBe("2 s ago");
    expect(relativeTime("2026-11-15T23:35:00Z", NOW)).toBe("in 2 h");
    expect(relativeTime(null, NOW)).toBe("");
    expect([0, 999, 61_000, 90_000_000].map(lengthOfTime)).toEqual(["0 ms", "999 ms", "1 min", "1 d"]);
  });

  it("times may be given from now, or whole", () => {
    expect(timeGiven("2h", NOW)).toBe("2026-11-15T19:30:00.000Z");
    expect(timeGiven(" 15 m", NOW)).toBe("2026-11-15T21:15:00.000Z");
    expect(timeGiven("2026-11-15T22:30:00+01:00", NOW)).toBe("2026-11-15T21:30:00.000Z");
    expect([timeGiven("soon", NOW), timeGiven("", NOW), timeGiven("99999999999999d", NOW)]).toEqual([null, null, null]);
  });

  it("tables are aligned, also where they are coloured, and a cell is one line", () => {
    const rows = [
      ["a", { text: "long\n  text", style: "red" as const }, "x"],
      ["bbbb", "s", ""],
    ];
    expect(tableLines(written(false).output, ["T", "U", "V"], rows)).toEqual([
      "T     U          V",
      "a     long text  x",
      "bbbb  s",
    ]);
    vi.stubEnv("NO_COLOR", undefined);
    vi.stubEnv("FORCE_COLOR", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const coloured = tableLines(written(true).output, ["T", "U", "V"], rows);
    expect(coloured[1]).toBe("a     \u001B[31mlong text\u001B[39m  x");
  });

  it("long work shows how far it is, on terminals alone", () => {
    for (const isTTY of [true, false]) {
      const { output, err } = written(isTTY);
      const progress = new Progress(output, "exporting");
      progress.show(1, 2);
      progress.show(2, 2);
      progress.end();
      expect(err().includes("exporting [████████████░░░░░░░░░░░░] 1/2")).toBe(isTTY);
      expect(err().endsWith(isTTY ? "2/2\r\u001B[K" : "")).toBe(true);
    }
  });
});

describe("what cannot be undone", () => {
  const terminal = (answer: string, isWatched = true) => {
    const input = new PassThrough();
    input.end(`${answer}\n`);
    return { input, output: new PassThrough(), isWatched };
  };

  it("is done when people say yes, when they have said so before, and by scripts", async () => {
    await confirm("delete it?", false, terminal("y"));
    await confirm("delete it?", false, terminal("Yes"));
    await confirm("delete it?", true, terminal("n"));
    await confirm("delete it?", false, terminal("n", false));
  });

  it("is not done otherwise", async () => {
    for (const answer of ["", "n", "yellow"]) {
      await expect(confirm("delete it?", false, terminal(answer))).rejects.toThrow("nothing was done");
    }
  });
});
