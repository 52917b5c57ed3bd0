import { workflow } from "cairnjs";
import { chunk } from "lodash-es";

export default workflow("mail.batches", async (people: string[]) => chunk(people, 100));
