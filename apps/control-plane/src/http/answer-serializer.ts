import { serializerCompiler } from "fastify-type-provider-zod";
import { writtenWith } from "../stored-json.ts";

/** Answers as their schemas have them, with values as they are stored. */
export const answerSerializer: typeof serializerCompiler = (route) => {
  const serialize = serializerCompiler(route);
  return (answer) => writtenWith(() => serialize(answer));
};
