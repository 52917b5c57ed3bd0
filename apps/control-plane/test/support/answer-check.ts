import { Ajv2020 } from "ajv/dist/2020.js";
import type { OpenApiDocument } from "../../src/http/openapi/openapi-document.ts";
import type { DocumentedOperation } from "./open-api.ts";

/** Whether answers are what the document says. */
export class AnswerCheck {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #checks = new Map<string, ReturnType<Ajv2020["compile"]>>();

  constructor(document: OpenApiDocument) {
    this.#ajv.addSchema({ ...document, $id: "document" });
  }

  /** Null: it is. A problem that is documented under `default` alone is a mistake too. */
  mistakeOf(
    { id, path, method, responses }: DocumentedOperation,
    status: number,
    contentType: string | null,
    text: string,
  ): string | null {
    const response = responses.get(String(status));
    if (response === undefined) return `${status} is not documented: ${text.slice(0, 300)}`;
    if (response.content === undefined) return text === "" ? null : "it has a body";
    const [type, { schema }] = Object.entries(response.content)[0]!;
    if (contentType?.startsWith(type) !== true) return `it is ${contentType}, and not ${type}`;
    if (!type.includes("json")) return null;
    const key = `${id} ${status}`;
    const check = this.#checks.get(key) ?? this.#ajv.compile(rebased(schema) as object);
    this.#checks.set(key, check);
    if (check(JSON.parse(text))) return null;
    const why = this.#ajv.errorsText(check.errors);
    return `${method} ${path} answers ${text.slice(0, 300)}, which is not what is documented: ${why}`;
  }
}

/** References lead into the document, wherever the schema stands. */
function rebased(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "$ref" ? `document${String(value)}` : value,
  );
}

/** What is said if that ends: of a stream, that it began. */
export async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) return response.text();
  await response.body!.cancel();
  return "";
}
