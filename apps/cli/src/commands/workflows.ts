import type { VersionSummary, WorkflowSummary } from "@cairnjs/schemas/rest";
import type { Output } from "../output/output.ts";
import { tableLines } from "../output/table.ts";
import { relativeTime } from "../output/times.ts";
import { collected, type RestClient } from "../rest/rest-client.ts";

interface Flags {
  readonly json?: true;
}

/** `cairn workflows [NAME]`: what can be started, or the versions of one. */
export async function workflowsCommand(
  client: RestClient,
  name: string | undefined,
  flags: Flags,
  output: Output,
): Promise<number> {
  return name === undefined ? listAll(client, flags, output) : listVersions(client, name, flags, output);
}

async function listAll(client: RestClient, flags: Flags, output: Output): Promise<number> {
  const workflows = await collected(client.list<WorkflowSummary>("/workflows"));
  if (flags.json === true) {
    output.line(JSON.stringify({ workflows }));
    return 0;
  }
  const now = Date.now();
  const rows = workflows.map(({ name, kind, current, since, versions }) => [
    { text: name, style: "bold" as const },
    kind,
    String(versions),
    relativeTime(since, now),
    current,
  ]);
  if (rows.length === 0) output.note("nothing is registered");
  else for (const line of tableLines(output, ["NAME", "KIND", "VERSIONS", "SINCE", "CURRENT"], rows)) output.line(line);
  return 0;
}

async function listVersions(client: RestClient, name: string, flags: Flags, output: Output): Promise<number> {
  const path = `/workflows/${encodeURIComponent(name)}/versions`;
  const versions = await collected(client.list<VersionSummary>(path));
  if (flags.json === true) {
    output.line(JSON.stringify({ name, versions }));
    return 0;
  }
  const now = Date.now();
  const rows = versions.map(({ version, isCurrent, createdAt }) => [
    version,
    isCurrent ? { text: "current", style: "green" as const } : "",
    relativeTime(createdAt, now),
  ]);
  for (const line of tableLines(output, ["VERSION", "", "REGISTERED"], rows)) output.line(line);
  return 0;
}

/** `cairn promote NAME VERSION`: new runs have this version. */
export async function promoteCommand(
  client: RestClient,
  name: string,
  version: string,
  flags: Flags,
  output: Output,
): Promise<number> {
  const promoted = await client.post<{ readonly name: string; readonly current: string }>(
    `/workflows/${encodeURIComponent(name)}/promote`,
    { version },
  );
  output.line(
    flags.json === true ? JSON.stringify(promoted) : `${name}: new runs have the version ${promoted.current}`,
  );
  return 0;
}
