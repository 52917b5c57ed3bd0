import { STATUS_CODES } from "node:http";
import { httpStatusOf } from "@cairnjs/protocol";
import type { ErrorCode } from "@cairnjs/schemas";
import { LiveDropped, LiveEnd, Problem } from "@cairnjs/schemas/rest";
import type { ZodType } from "zod";
import { type JsonSchema, JsonSchemas, referencesIn } from "./json-schemas.ts";
import { ACCESS_PROBLEMS, BODY_PROBLEMS, DATABASE_PROBLEMS, type Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import type { KnownRoute, RouteList } from "./route-list.ts";

const JSON_TYPE = "application/json";
const PROBLEM_TYPE = "application/problem+json";

/** As much of OpenAPI as is used here. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly "x-cairn-scope": string;
  readonly parameters: readonly OpenApiParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, OpenApiResponse | { readonly $ref: string }>>;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly style?: string;
  readonly explode?: boolean;
  readonly description?: string;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Without: nothing is sent. */
  readonly content?: Readonly<Record<string, OpenApiContent>>;
}

interface OpenApiContent {
  readonly schema: JsonSchema;
  /** What server-sent events have as data, by their name: OpenAPI 3.1 has no words for it. */
  readonly "x-cairn-events"?: Readonly<Record<string, JsonSchema>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    /** Problems, by their codes: most operations have the same. */
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
    readonly securitySchemes: JsonSchema;
  };
}

const RESPONSES = "#/components/responses/";

/** What an operation answers with a status. */
export function responseOf(
  { components }: OpenApiDocument,
  response: OpenApiResponse | { readonly $ref: string },
): OpenApiResponse {
  return "$ref" in response ? components.responses[response.$ref.slice(RESPONSES.length)]! : response;
}

const TAGS: Readonly<Record<string, string>> = {
  runs: "Executions of workflows and actions",
  events: "What happens to runs, as it happens",
  schedules: "What starts runs at certain times",
  workflows: "What can be started",
  workers: "Who runs calls",
  limits: "How many calls at one time, or in a length of time",
  subscriptions: "Who gets which events",
  outbox: "Events for others, and what was not taken of them",
  tokens: "Signals by signed addresses, for e-mails and webhooks",
  audit: "Who did what",
  secrets: "Passwords and keys for calls and subscriptions",
  keys: "API keys: who may ask for what",
  login: "Sessions of browsers",
  retention: "How long things are kept",
  "control plane": "For machines that look after it",
};

const ABOUT = `Values (inputs, results, errors, signals) stand where they are, as JSON; a date is \`{"$date":1767323045678}\`.
Times that are no values are texts such as \`2026-11-15T21:30:00.000Z\`. Lists are \`{"items":[…],"next":…}\`: if \`next\` is not
null, the same request with \`cursor=\` and this text has those behind. Every answer that is no success is a problem (RFC 9457) with a
code. Besides what is here there is \`/ws\`, a WebSocket, for which OpenAPI has no words.`;

const SECURITY_SCHEMES = {
  bearer: { type: "http", scheme: "bearer", description: "An API key, or a token of the settings" },
  cookie: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-cairn_session",
    description: "Of a login, for browsers: see logIn. Without TLS, `cairn_session`",
  },
};

/** OpenAPI 3.1 of all routes of a server. Throws if there is one that `OPERATIONS` does not know. */
export function openApiDocument(routes: RouteList, version: string): OpenApiDocument {
  const [taken, answered] = [new JsonSchemas("input"), new JsonSchemas("output")];
  const problem = answered.add(Problem);
  const shared: Record<string, OpenApiResponse> = {};
  const parts: Parts = { taken, answered, problem, shared };
  const writers = routes.all.filter(isShown).map((route) => ({ route, write: writerOf(route, parts) }));
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const { route, write } of writers) {
    (paths[route.url.replaceAll(/:(\w+)/g, "{$1}")] ??= {})[route.method.toLowerCase()] = write();
  }
  const used = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)));
  return {
    openapi: "3.1.0",
    info: { title: "Cairn", version, description: ABOUT },
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: componentsOf(paths, parts),
      responses: shared,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

interface Parts {
  readonly taken: JsonSchemas;
  readonly answered: JsonSchemas;
  readonly problem: () => JsonSchema;
  readonly shared: Record<string, OpenApiResponse>;
}

/** Parts of the page for people are no operations. */
function isShown({ url }: KnownRoute): boolean {
  return !url.startsWith("/docs/");
}

function componentsOf(
  paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>,
  { taken, answered, shared }: Parts,
): Record<string, JsonSchema> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const inputs = referencesIn(
    operations.map(({ parameters, requestBody }) => ({ parameters, requestBody })),
    (name) => taken.named(name),
  );
  const outputs = referencesIn([shared, operations.map(({ responses }) => responses)], (name) => answered.named(name));
  const all = new Map([...outputs].map((name) => [name, answered.named(name)]));
  for (const name of inputs) {
    const [schema, other] = [taken.named(name), all.get(name)];
    // One name has one meaning: then the two need two schemas.
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(schema)) {
      throw new Error(`The schema ${name} is taken and answered, and not the same`);
    }
    all.set(name, schema);
  }
  return Object.fromEntries([...all].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What is to be converted is known first, and then written. */
function writerOf(route: KnownRoute, parts: Parts): () => OpenApiOperation {
  const { taken } = parts;
  const { method, url, scope, schemas } = route;
  const operation = OPERATIONS[`${method} ${url}`];
  if (operation === undefined) throw new Error(`${method} ${url} is not among the operations`);
  const { id, summary, description } = operation;
  const body = schemas.body === undefined ? null : requestBodyOf(schemas.body, taken, operation);
  const places = (["params", "querystring", "headers"] as const).map((where) => {
    const schema = schemas[where];
    return { where, schema: schema === undefined ? null : taken.add(schema) };
  });
  const responses = responsesOf(route, operation, parts);
  const tag = operation.tag ?? /^\/v1\/([a-z]+)/.exec(url)?.[1] ?? "";
  return () => ({
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag in TAGS ? tag : "control plane"],
    security: scope === "public" ? [] : [{ bearer: [] }, { cookie: [] }],
    "x-cairn-scope": scope,
    parameters: [
      ...places.flatMap(({ where, schema }) => (schema === null ? [] : parametersOf(where, resolved(schema(), taken)))),
      ...(url.startsWith("/v1") && scope !== "public" ? [NAMESPACE_HEADER] : []),
    ],
    ...(body === null ? {} : { requestBody: body() }),
    responses: responses(),
  });
}

const NAMESPACE_HEADER: OpenApiParameter = {
  name: "cairn-namespace",
  in: "header",
  required: false,
  schema: { type: "string" },
  description: "The namespace, unless the query says it",
};

function resolved(schema: JsonSchema, schemas: JsonSchemas): JsonSchema {
  const { $ref } = schema;
  return typeof $ref === "string" ? schemas.named($ref.slice($ref.lastIndexOf("/") + 1)) : schema;
}

const PLACES = { params: "path", querystring: "query", headers: "header" } as const;

function parametersOf(where: keyof typeof PLACES, schema: JsonSchema): OpenApiParameter[] {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...about }]) => ({
    name,
    in: PLACES[where],
    required: where === "params" || required.includes(name),
    schema: about,
    // Several with commas between.
    ...(about["type"] === "array" ? { style: "form", explode: false } : {}),
    ...(typeof description === "string" ? { description } : {}),
  }));
}

function requestBodyOf(
  schema: ZodType,
  taken: JsonSchemas,
  { example, bodies = {} }: Operation,
): () => NonNullable<OpenApiOperation["requestBody"]> {
  const body = taken.add(schema);
  const required = !schema.safeParse(undefined).success;
  return () => ({
    required,
    content: {
      [JSON_TYPE]: { schema: body(), ...(example === undefined ? {} : { example }) },
      ...Object.fromEntries(Object.entries(bodies).map(([type, other]) => [type, { schema: other }])),
    },
  });
}

/** These have no body. */
const NO_CONTENT = new Set(["204", "304"]);
const PAGE = { "text/html": { schema: { type: "string" } } };

function responsesOf(
  { scope, schemas, url }: KnownRoute,
  { problems = [], answers = {}, contentType, streams, hasPage, summary, needsNoDatabase = false }: Operation,
  { answered, problem, shared }: Parts,
): () => OpenApiOperation["responses"] {
  const successes = Object.entries(schemas.response ?? {}).map(([status, schema]) => ({
    status,
    description: answers[Number(status)] ?? (status === "200" ? summary : STATUS_CODES[status]!),
    schema: answered.add(schema),
  }));
  const events = streams === undefined ? null : eventsOf(streams, answered);
  const codes = new Set<ErrorCode>([
    ...(schemas.querystring === undefined && schemas.body === undefined ? [] : (["InvalidMessage"] as const)),
    ...(scope === "public" ? [] : ACCESS_PROBLEMS),
    "RateLimited",
    // Keys and sessions are in the database.
    ...(scope !== "public" || (url.startsWith("/v1") && !needsNoDatabase) ? DATABASE_PROBLEMS : []),
    ...(schemas.body === undefined ? [] : BODY_PROBLEMS),
    ...problems,
  ]);
  return () => ({
    ...Object.fromEntries(
      successes.map(({ status, description, schema }) => [
        status,
        NO_CONTENT.has(status)
          ? { description }
          : {
              description,
              content: {
                [contentType ?? JSON_TYPE]: { schema: schema(), ...(events === null ? {} : events()) },
                ...(hasPage ? PAGE : {}),
              },
            },
      ]),
    ),
    ...problemsOf(codes, problem, shared),
  });
}

function eventsOf(streams: ZodType, answered: JsonSchemas): () => Pick<OpenApiContent, "x-cairn-events"> {
  const [message, end, dropped] = [streams, LiveEnd, LiveDropped].map((schema) => answered.add(schema));
  return () => ({ "x-cairn-events": { message: message!(), end: end!(), dropped: dropped!() } });
}

const HEADERS: Readonly<Record<number, OpenApiResponse["headers"]>> = {
  401: { "www-authenticate": { description: "How to say who asks", schema: { type: "string" } } },
  429: { "retry-after": { description: "Seconds until the next request is taken", schema: { type: "integer" } } },
};

/** By the one table of statuses. */
function problemsOf(
  codes: ReadonlySet<ErrorCode>,
  problem: () => JsonSchema,
  shared: Record<string, OpenApiResponse>,
): Record<string, { readonly $ref: string }> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(httpStatusOf(code), [...(byStatus.get(httpStatusOf(code)) ?? []), code]);
  const written = [...byStatus].map(([status, some]) => {
    const name = some.join("Or");
    shared[name] ??= problemResponse(status, some, problem());
    return [String(status), { $ref: `${RESPONSES}${name}` }] as const;
  });
  shared["Other"] ??= {
    description: "Any other problem, such as one of the control plane's own (500)",
    content: { [PROBLEM_TYPE]: { schema: problem() } },
  };
  return { ...Object.fromEntries(written), default: { $ref: `${RESPONSES}Other` } };
}

function problemResponse(status: number, codes: readonly ErrorCode[], problem: JsonSchema): OpenApiResponse {
  const own = { properties: { status: { const: status }, code: { enum: [...codes] } } };
  return {
    description: codes.join(", "),
    ...(HEADERS[status] === undefined ? {} : { headers: HEADERS[status] }),
    content: { [PROBLEM_TYPE]: { schema: { allOf: [problem, own] } } },
  };
}
