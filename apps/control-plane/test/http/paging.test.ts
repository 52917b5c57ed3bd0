import fc from "fast-check";
import { expect, it } from "vitest";
import { type PageQuery, sortedPage } from "../../src/http/paging.ts";

interface Row {
  readonly id: number;
  readonly name: string | null;
}

const rows = fc.uniqueArray(
  fc.record({ id: fc.nat({ max: 30 }), name: fc.option(fc.constantFrom("a", "b", "c", "[", '"')) }),
  { selector: ({ id }) => id },
);

it("pages have all that stays, each once and in order, whatever comes and goes in between", () => {
  const sort = fc.constantFrom("name", "-name", "id", "-id");
  fc.assert(
    fc.property(
      fc.array(rows, { minLength: 1 }),
      rows,
      sort,
      fc.integer({ min: 1, max: 4 }),
      (lists, stay, by, limit) => {
        const stays = new Set(stay.map(({ id }) => id));
        const at = (page: number): Row[] => [
          ...stay,
          ...lists[page % lists.length]!.filter(({ id }) => !stays.has(id)),
        ];
        const seen: Row[] = [];
        let cursor: string | null = null;
        for (let page = 0; page < 100; page++) {
          const query: PageQuery = { limit, sort: by, ...(cursor === null ? {} : { cursor }) };
          const answer = sortedPage(at(page), query, { usual: "id", keyOf: ({ id }) => id, itemOf: (row) => row });
          expect(answer.items.length).toBeLessThanOrEqual(limit);
          seen.push(...answer.items);
          cursor = answer.next;
          if (cursor === null) break;
        }
        const kept = seen.map(({ id }) => id).filter((id) => stays.has(id));
        const whole = sortedPage(
          stay,
          { limit: 100, sort: by },
          { usual: "id", keyOf: ({ id }) => id, itemOf: (row) => row },
        );
        expect(kept).toEqual(whole.items.map(({ id }) => id));
        expect(whole.next).toBeNull();
      },
    ),
  );
});

it.each(["{", "[]", "[1]", '[{},"a"]', '["a",null]', "12"])("%s is no cursor", (cursor) => {
  const page = (): unknown =>
    sortedPage([], { limit: 1, sort: "id", cursor }, { usual: "id", keyOf: () => "", itemOf: (row: Row) => row });
  expect(page).toThrow("The cursor is not one");
});

it("a list whose items have no keys of their own is a mistake that is seen", () => {
  const twice: Row[] = [
    { id: 1, name: "a" },
    { id: 1, name: "b" },
  ];
  const page = (): unknown =>
    sortedPage(twice, { limit: 2, sort: "id" }, { usual: "id", keyOf: ({ id }) => id, itemOf: (row) => row });
  expect(page).toThrow("Two items of a list have one key");
});
