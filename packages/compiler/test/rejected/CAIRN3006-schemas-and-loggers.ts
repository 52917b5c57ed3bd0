import { z } from "zod";
import { z as mini } from "zod/v4-mini";
import * as v from "valibot";
import winston from "winston";
import { Logger } from "tslog";
import { workflow } from "cairnjs";

const Order = z.object({ id: z.string() }).strict();
const Small = mini.object({});
const Line = v.object({ sku: v.string() });
const log = winston.createLogger();
const other = new Logger();

export default workflow("sample", async (input: unknown) => {
  log.info("checking");
  other.info("checking");
  return [Order.parse(input), Small.parse(input), v.parse(Line, input), z.string().parse(input)];
});
