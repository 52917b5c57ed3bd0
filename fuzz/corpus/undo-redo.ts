import { action, step, workflow } from "cairnjs";

interface Edit {
  label: string;
  apply: (text: string) => string;
}

interface History {
  past: { label: string; text: string }[];
  present: string;
  future: { label: string; text: string }[];
}

const save = action("save", async (text: string, revision: number) => ({
  revision,
  bytes: new TextEncoder().encode(text),
}));

const insert = (at: number, what: string): Edit => ({
  label: `insert ${what}`,
  apply: (text) => text.slice(0, at) + what + text.slice(at),
});
const remove = (from: number, to: number): Edit => ({
  label: `remove ${from}-${to}`,
  apply: (text) => text.slice(0, from) + text.slice(to),
});
const replaceAll = (what: string | RegExp, by: string): Edit => ({
  label: `replace ${what}`,
  apply: (text) => text.replaceAll(what, by),
});

function perform({ past, present }: History, { label, apply }: Edit): History {
  const text = apply(present);
  return text === present
    ? { past, present, future: [] }
    : { past: [...past, { label, text: present }], present: text, future: [] };
}

function undo(history: History): History {
  const last = history.past.at(-1);
  if (last === undefined) return history;
  return {
    past: history.past.slice(0, -1),
    present: last.text,
    future: [{ label: last.label, text: history.present }, ...history.future],
  };
}

function redo(history: History): History {
  const [next, ...future] = history.future;
  return next === undefined
    ? history
    : { past: [...history.past, { label: next.label, text: history.present }], present: next.text, future };
}

/** Groups edits so that they are undone together. */
const grouped = (label: string, ...edits: Edit[]): Edit => ({
  label,
  apply: (text) => edits.reduce((current, edit) => edit.apply(current), text),
});

export default workflow("editor", async () => {
  let history: History = { past: [], present: "hello world", future: [] };
  const script: (Edit | "undo" | "redo" | "save")[] = [
    insert(5, ","),
    grouped("shout", replaceAll("o", "0"), replaceAll(/l+/g, "[$&]"), insert(0, ">> ")),
    "undo",
    remove(0, 3),
    "save",
    "redo",
    "undo",
    "undo",
    "redo",
    insert(0, "👍"),
    "save",
  ];
  const shown: string[] = [];
  let revision = 0;
  for (const entry of script) {
    if (entry === "undo") history = undo(history);
    else if (entry === "redo") history = redo(history);
    else if (entry === "save") {
      try {
        const { bytes } = await save(history.present, ++revision);
        shown.push(`saved ${bytes.length}`);
      } catch {
        shown.push(`not saved ${revision}`);
      }
    } else history = perform(history, entry);
    shown.push(history.present);
  }
  const labels = history.past.map(({ label }) => label);
  const summary = await step("summary", async () => ({ revision, labels, length: shown.length }));
  return { shown, labels, summary };
});
