interface Asks {
  query<Row extends object>(text: string, ...values: unknown[]): Promise<Row[]>;
}

/** Everything that the schema holds, row by row as text; bytes are shown as what they may say, too. */
export async function dumpTables(bed: Asks): Promise<string> {
  const tables = await bed.query<{ name: string }>(
    "SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace " +
      "WHERE n.nspname IN ('cairn', 'public') AND c.relkind = 'r' ORDER BY 1",
  );
  const lines: string[] = [];
  for (const { name } of tables) {
    const rows = await bed.query<{ row: string }>(`SELECT t::text AS row FROM ${name} AS t`);
    for (const { row } of rows) lines.push(`${name} ${row}`, ...bytesIn(row));
  }
  return lines.join("\n");
}

function bytesIn(row: string): string[] {
  return [...row.matchAll(/\\x([0-9a-f]{2,})/g)].map(([, hex]) => Buffer.from(hex!, "hex").toString("latin1"));
}

/** The forms in which a text may be found by whoever looks for it. */
export function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString("hex");
  // As part of something else, too: without the letters that have bits of what stands around it.
  const base64 = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)),
  );
  const inUrls = base64.map((each) => each.replaceAll("+", "-").replaceAll("/", "_"));
  const escaped = JSON.stringify(text).slice(1, -1);
  return [
    text,
    text.trim(),
    escaped,
    ...base64,
    ...inUrls,
    hex,
    hex.toUpperCase(),
    encodeURIComponent(text),
    encodeURI(text),
  ];
}
