import {
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiResponse,
  responseOf,
} from "../../src/http/openapi/openapi-document.ts";

/** An operation of the document. */
export interface DocumentedOperation {
  readonly id: string;
  /** In capital letters. */
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  /** The same as Fastify has it. */
  readonly route: string;
  readonly operation: OpenApiOperation;
  /** By status. */
  readonly responses: ReadonlyMap<string, OpenApiResponse>;
}

export async function documentOf(port: number): Promise<OpenApiDocument> {
  const response = await fetch(`http://127.0.0.1:${port}/openapi.json`);
  return (await response.json()) as OpenApiDocument;
}

export function operationsOf(document: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      route: path.replaceAll(/\{(\w+)\}/g, ":$1"),
      operation,
      responses: new Map(
        Object.entries(operation.responses).map(([status, response]) => [status, responseOf(document, response)]),
      ),
    })),
  );
}
