import { action, workflow } from "cairnjs";

class CsvError extends Error {
  constructor(
    message: string,
    public line: number,
    public column: number,
  ) {
    super(`§${message} (${line}:${column})`);
  }
}

const download = action("download", async (name: string) => FILES[name] ?? "");
const upload = action("upload", async (name: string, rows: unknown[]) => `${name}:${rows.length}`);

const FILES: Record<string, string> = {
  people:
    'id,name,"born, roughly",score\r\n1,"Ann ""the"" Ok",1990-02-03,3.5\r\n2,Bo\n3,"multi\nline",,-0\n\n4,😀,2001-12-31,1e3,extra\n',
  broken: 'a,b\n1,"open\n',
  odd: 'a;b\n"x"y;2\n',
};

function parseCsv(text: string, separator = ","): string[][] {
  const rows: string[][] = [[]];
  let field = "";
  let quoted = false;
  let wasQuoted = false;
  let line = 1;
  let column = 0;
  const endField = (): void => {
    rows.at(-1)!.push(field);
    field = "";
    wasQuoted = false;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    column++;
    if (quoted) {
      if (character !== '"') field += character;
      else if (text[at + 1] === '"') ((field += '"'), at++);
      else quoted = false;
      if (character === "\n") (line++, (column = 0));
      continue;
    }
    switch (character) {
      case '"':
        if (field !== "" || wasQuoted) throw new CsvError("a quote inside a field", line, column);
        quoted = wasQuoted = true;
        break;
      case separator:
        endField();
        break;
      case "\r":
        break;
      case "\n":
        endField();
        rows.push([]);
        line++;
        column = 0;
        break;
      default:
        if (wasQuoted) throw new CsvError("text after a quoted field", line, column);
        field += character;
    }
  }
  if (quoted) throw new CsvError("an open quote", line, column);
  endField();
  return rows.filter((row) => row.length > 1 || row[0] !== "");
}

const convert = (text: string | undefined): unknown => {
  if (text === undefined || text === "") return null;
  if (/^-?\d+(?:\.\d+)?(?:e\d+)?$/i.test(text)) return Number(text);
  const date = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return date ? new Date(Date.UTC(+date[1]!, +date[2]! - 1, +date[3]!)) : text;
};

const toCsv = (rows: readonly (readonly unknown[])[]): string =>
  rows
    .map((row) =>
      row
        .map((value) =>
          value === null
            ? ""
            : /[",\n]/.test(String(value))
              ? `"${String(value).replaceAll('"', '""')}"`
              : String(value),
        )
        .join(","),
    )
    .join("\n");

export default workflow("importCsv", async () => {
  const report: Record<string, unknown> = {};
  for (const name in FILES) {
    try {
      const [head, ...rows] = parseCsv(await download(name), name === "odd" ? ";" : undefined);
      const records = rows.map((row) =>
        Object.fromEntries(head!.map((key, index) => [key.trim(), convert(row[index])])),
      );
      report[name] = { records, stored: await upload(name, records), again: toCsv([head!, ...rows]).length };
    } catch (error) {
      if (error instanceof CsvError) report[name] = { line: error.line, column: error.column, message: error.message };
      else report[name] = error;
    }
  }
  return report;
});
