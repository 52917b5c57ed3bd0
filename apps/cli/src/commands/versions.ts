import { graphText, type ProgramGraph } from "@cairnjs/ir";
import type {
  VersionDetails,
  VersionGraph,
  VersionListing,
  VersionSource,
  WorkflowDetails,
} from "@cairnjs/schemas/rest";
import type { Output } from "../output/output.ts";
import { tellAll } from "../output/table.ts";
import { relativeTime } from "../output/times.ts";
import type { RestClient } from "../rest/rest-client.ts";

interface Flags {
  readonly json?: true;
}

export type VersionPart = "show" | "source" | "listing" | "graph";

/** `cairn workflows show|source|listing|graph NAME [VERSION]`: of the current version, if none is named. */
export async function versionCommand(
  client: RestClient,
  part: VersionPart,
  [name, version]: readonly [name: string, version: string | undefined],
  flags: Flags,
  output: Output,
): Promise<number> {
  const path = `/workflows/${encodeURIComponent(name)}`;
  const which = version ?? (await client.get<WorkflowDetails>(path)).current;
  const found = await client.get<unknown>(
    `${path}/versions/${encodeURIComponent(which)}${part === "show" ? "" : `/${part}`}`,
  );
  if (flags.json === true) output.line(JSON.stringify(found));
  else TELL[part](found, output);
  return 0;
}

const TELL: Readonly<Record<VersionPart, (found: unknown, output: Output) => void>> = {
  show: (found, output) => tellVersion(found as VersionDetails, output),
  source: (found, output) => {
    const { files } = found as VersionSource;
    for (const { name, text } of files) {
      if (files.length > 1) output.line(output.paint("bold", name));
      output.line(text.trimEnd());
    }
  },
  listing: (found, output) => output.line((found as VersionListing).listing.trimEnd()),
  graph: (found, output) => output.line(graphText(found as VersionGraph as ProgramGraph).trimEnd()),
};

function tellVersion(version: VersionDetails, output: Output): void {
  const now = Date.now();
  const [source] = version.sources;
  tellAll(output, [
    [
      version.kind,
      `${output.paint("bold", version.name)}  version ${version.version}${version.isCurrent ? "  current" : ""}`,
    ],
    ["registered", relativeTime(version.createdAt, now)],
    ["attempts", String(version.maxAttempts)],
    ["tags", version.tags.join(", ")],
    ["files", source === undefined ? "" : source.files.join(", ")],
    ["input", version.inputSchema === null ? "" : JSON.stringify(version.inputSchema)],
  ]);
}
