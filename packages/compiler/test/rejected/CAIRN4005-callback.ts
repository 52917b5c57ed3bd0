import { action, mapLimit, workflow } from "cairnjs";

const isPaid = action("order.isPaid", async (id: string) => id === "1");
const rank = action("order.rank", async (id: string) => id.length);

/** Waits for its callback, unlike the method of the same name. */
const lists = {
  filter: async (items: string[], test: (item: string) => Promise<boolean>) => {
    const answers = await mapLimit(items, 2, test);
    return items.filter((_, index) => answers[index]);
  },
};

export default workflow("callbacks", async (ids: string[]) => {
  const paid = ids.filter(async (id) => await isPaid(id));
  const open = ids.filter((id) => id !== "" && isPaid(id));
  const first = ids.find(isPaid);
  const at = ids.findIndex(function (id) {
    if (id === "") return false;
    return isPaid(id);
  });
  const last = [ids.findLast((id) => isPaid.with({ timeout: 5 })(id)), ids.findLastIndex(isPaid)];
  if (ids.some((id) => isPaid(id)) && ids?.every(isPaid)) return "paid";
  const sorted = ids.toSorted(async (a, b) => (await rank(a)) - (await rank(b)));
  ids.sort((a) => rank(a));
  ids.forEach((id) => {
    return rank(id);
  });
  const fine = [
    await lists.filter(ids, async (id) => await isPaid(id)),
    await Promise.all(ids.map(isPaid)),
    ids.filter((id) => {
      const later = async () => await isPaid(id);
      return later !== undefined;
    }),
  ];
  return [paid, open, first, at, last, sorted, fine];
});
