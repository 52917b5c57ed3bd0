import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { confirm } from "./confirm.ts";
import { Output } from "./output.ts";
import { Progress } from "./progress.ts";
import { tableLines, tellAll } from "./table.ts";
import { lengthOfTime } from "@cairnjs/schemas/length-of-time";
import { relativeTime, timeGiven } from "./times.ts";

const NOW = Date.parse("2026-11-15T21:30:00Z");

function written(isTTY: boolean, isErrTTY = isTTY): { output: Output; out: () => string; err: () => string } {
  const texts = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    isTTY: name === "out" ? isTTY : isErrTTY,
    write: (text: string) => {
      texts[name] += text;
      return true;
    },
  });
  return { output: new Output(stream("out"), stream("err")), out: () => texts.out, err: () => texts.err };
}

describe("what people see", () => {
  it("what others have named tells the terminal nothing, and our colors stay", () => {
    const { output, out } = written(true);
    const name = "a\u001b]0;pwn\u0007\u009b2J\u202eb\u200b\u2067\ufeff\u{e0041}\r";
    const shown = String.raw`a\u001b]0;pwn\u0007\u009b2J\u202eb\u200b\u2067\ufeff\u{e0041}\u000d`;
    expect(tableLines(output, ["NAME"], [[name], ["\u001b[31mred"]]).slice(1)).toEqual([
      shown,
      String.raw`\u001b[31mred`,
    ]);
    tellAll(output, [["name", `${output.paint("red", "x")}${name}`]]);
    expect(out()).toContain(`${output.paint("red", "x")}${shown}\n`);
  });

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
    expect(timeGiven("2026-11-15", NOW)).toBe("2026-11-15T00:00:00.000Z");
    // Some of these are dates of other years to JavaScript, or depend on where the command runs.
    const none = ["soon", "", "99999999999999d", "7", "90", "May 3", "2026-11-15T22:30", "2026-13-01", "11/12/2026"];
    expect(none.map((text) => timeGiven(text, NOW))).toEqual(none.map(() => null));
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

  it("control characters of others are shown on terminals, and not obeyed; data is left as it is", () => {
    const evil = "a\u001B[2J\u001B]0;x\u0007b\rc\u009B1m\td\ne";
    const terminal = written(true);
    terminal.output.line(`${terminal.output.paint("red", "!")} ${evil}`);
    terminal.output.problem(evil);
    terminal.output.note(evil);
    const shown = "a␛[2J␛]0;x␇b␍c\uFFFD1m\td\ne";
    expect(terminal.out()).toContain(` ${shown}\n`);
    expect(terminal.err().split(` ${shown}\n`)).toHaveLength(3);
    const piped = written(false);
    piped.output.line(evil);
    expect(piped.out()).toBe(`${evil}\n`);
  });

  it("what is said of one thing is one line", () => {
    const { output, out } = written(false);
    tellAll(output, [["error", "one\n  two"]]);
    expect(out()).toBe("error     one two\n");
  });

  it("colours are where a terminal is: each of the two outputs may be one", () => {
    vi.stubEnv("NO_COLOR", undefined);
    vi.stubEnv("FORCE_COLOR", undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const logged = written(true, false);
    logged.output.problem("no");
    expect(logged.err()).toBe("cairn: no\n");
    expect(logged.output.paint("red", "x")).not.toBe("x");
    const piped = written(false, true);
    piped.output.problem("no");
    expect(piped.err()).toBe("\u001B[31mcairn:\u001B[39m no\n");
    expect(piped.output.paint("red", "x")).toBe("x");
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
