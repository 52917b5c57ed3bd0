import { whatIsWanted } from "@cairnjs/schemas/rest";
import type { FastifySchemaCompiler } from "fastify";
import type { z } from "zod";

/** Something of a request that does not fit its schema. */
export class UnfitRequest extends Error {
  readonly issues: readonly z.core.$ZodIssue[];
  /** What it is part of: Fastify says so. */
  readonly validationContext?: string;

  constructor(issues: readonly z.core.$ZodIssue[]) {
    super("The request does not fit its schema");
    this.issues = issues;
  }
}

/** As the one of fastify-type-provider-zod, but in our words. */
export const requestValidator: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (data) => {
    const { success, data: value, error } = schema.safeParse(data, { error: whatIsWanted });
    return success ? { value } : { error: new UnfitRequest(error.issues) };
  };
