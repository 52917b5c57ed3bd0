import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { existingPages, generateMessages } from "../../scripts/generate-messages.mjs";
import { pages } from "./pages.ts";
import { messages } from "./table.ts";

describe("messages", () => {
  it("are up to date with their Markdown, in the table and in the docs", () => {
    const files = generateMessages();
    const outdated = [...files].filter(([path, content]) => readFileSync(path, "utf8") !== content);
    expect(outdated.map(([path]) => basename(path))).toEqual([]);
    const generated = new Set([...files.keys()].map((path) => basename(path)));
    expect(existingPages().filter((name) => !generated.has(name))).toEqual([]);
  });

  it("are one sentence that says what is wrong and one that says what to write instead", () => {
    const badly = Object.entries(messages).filter(([, { message, hint }]) => {
      const isSentence = /^(?:[A-Z`{]|forEach|localeCompare).*\.$/.test(message) || message === "{problem}.";
      return !isSentence || !/^[A-Z].*\.$/.test(hint) || /\b(?:please|simply|just|obviously)\b/i.test(message + hint);
    });
    expect(badly.map(([code]) => code)).toEqual([]);
  });

  it("have a page that says what, why, and shows it wrong and right", () => {
    const whole = /^# CAIRN\d+: .+\n\n\*.+\*\n\n> .+\n>\n> .+\n\n(?!Wrong)[^]+\nWrong:\n\n```[^]+\nRight:\n\n```/;
    const badly = Object.entries(pages).filter(([, page]) => !whole.test(page));
    expect(badly.map(([code]) => code)).toEqual([]);
    expect(Object.keys(pages)).toEqual(Object.keys(messages));
  });
});
