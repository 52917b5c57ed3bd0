import { outboxPage, sweepOutbox } from "../store/sweep-outbox.ts";
import { Pace } from "./pace.ts";
import { overBefore, type Pass } from "./pass.ts";

const PACE = { first: 1_000, least: 100, most: 10_000 };

/** Removes events for others that were published long enough ago. What waits, or is a dead letter, was not published. */
export async function sweepPublished(pass: Pass): Promise<void> {
  const { client, now, keeps, done } = pass;
  const [shortest] = keeps.lengths("outbox");
  if (shortest === undefined) return;
  const pace = new Pace(PACE, pass.signal);
  for (let after = 0; ;) {
    await pass.keepTask();
    const page = await pace.piece(async (size) => {
      const found = await outboxPage(client, after, size);
      const over = found.kinds.flatMap(({ namespace, type }) => {
        const before = overBefore(now, keeps.of("outbox", namespace, type));
        return before === null ? [] : [{ namespace, type, before }];
      });
      if (found.last !== null && over.length > 0)
        done.outboxRemoved += await sweepOutbox(client, after, found.last, over);
      return found;
    });
    // What was written later than that was not published before it.
    if (page.last === null || page.createdAt! > now - shortest) return;
    after = page.last;
  }
}
