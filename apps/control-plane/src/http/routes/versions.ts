import { graphOf, listProgram, type Program } from "@cairnjs/ir";
import {
  InNamespace,
  ShowSource,
  VersionDetails,
  VersionGraph,
  VersionListing,
  VersionPath,
  VersionSource,
} from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import { EngineError } from "../../library/engine-error.ts";
import { listVersions } from "../../store/list-versions.ts";
import { findVersion, type RegisteredVersion } from "../../store/register-version.ts";
import { listSources, type SourceRow, textsOf } from "../../store/version-sources.ts";
import { storedOrNull, timeOf } from "../json-values.ts";
import type { RestApp, RestContext } from "../rest.ts";
import { unknown, versionOf } from "./workflows.ts";

/** A version: what it is, what its code looked like, and what was made of it. */
export function addVersionRoutes(app: RestApp, { engine, namespaceOf }: RestContext): void {
  const { client } = engine;
  const path = "/workflows/:name/versions/:version";
  const asked = { params: VersionPath, querystring: InNamespace };
  const found = async (request: FastifyRequest): Promise<RegisteredVersion> => {
    const { name, version } = request.params as { readonly name: string; readonly version: string };
    const row = await findVersion(client, namespaceOf(request), name, version);
    if (row === undefined) throw unknown(name, version);
    return row;
  };
  const sourcesOf = ({ namespace, name, version }: RegisteredVersion): Promise<SourceRow[]> =>
    listSources(client, namespace, name, version);
  app.get(
    path,
    { config: { scope: "read" }, schema: { ...asked, response: { 200: VersionDetails } } },
    async (request) => {
      const row = await found(request);
      const { namespace, name, version, kind, leaseMs, inputSchema } = row;
      const summary = (await listVersions(client, namespace, name)).find((each) => each.version === version)!;
      const sources = (await sourcesOf(row)).map(({ sourceHash, files, createdAt }) => {
        return { sourceHash, files: Object.keys(JSON.parse(files) as object).sort(), createdAt: timeOf(createdAt) };
      });
      return { ...versionOf(summary), name, kind, leaseMs, inputSchema: storedOrNull(inputSchema), sources };
    },
  );
  app.get(
    `${path}/source`,
    {
      config: { scope: "read" },
      schema: { params: VersionPath, querystring: ShowSource, response: { 200: VersionSource } },
    },
    async (request) => {
      const row = await found(request);
      const { hash } = request.query;
      const source = (await sourcesOf(row)).find(({ sourceHash }) => sourceHash === (hash ?? sourceHash));
      const { name, version } = row;
      if (source === undefined) {
        const which = hash === undefined ? "There are no sources" : `There are no sources ${hash}`;
        throw new EngineError("NotFound", `${which} of ${name} in the version ${version}`);
      }
      const files = Array.from(await textsOf(client, source), ([file, text]) => ({ name: file, text }));
      return { name, version, sourceHash: source.sourceHash, files };
    },
  );
  app.get(
    `${path}/listing`,
    { config: { scope: "read" }, schema: { ...asked, response: { 200: VersionListing } } },
    async (request) => {
      const row = await found(request);
      const [source] = await sourcesOf(row);
      const program = JSON.parse(row.program) as Program;
      const texts = source === undefined ? {} : Object.fromEntries(await textsOf(client, source));
      // Of the texts that are shown: the code may look otherwise than when it was first registered.
      const debug = source === undefined ? program.debug : (JSON.parse(source.debug) as Program["debug"]);
      const { name, version } = row;
      return { name, version, listing: listProgram({ ...program, debug }, texts) };
    },
  );
  app.get(
    `${path}/graph`,
    { config: { scope: "read" }, schema: { ...asked, response: { 200: VersionGraph } } },
    async (request) => {
      const { name, version, program } = await found(request);
      const { nodes, edges } = graphOf(JSON.parse(program) as Program);
      return { name, version, nodes: nodes.map((node) => ({ ...node, within: [...node.within] })), edges: [...edges] };
    },
  );
}
