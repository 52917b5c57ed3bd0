import { step, workflow } from "cairnjs";

export default workflow("sample", async (input: { tags: string[]; at: Date; counts: Map<string, number> }) => {
  const { tags, at, counts } = input;
  const url = new URL("https://example.com/");
  await step("change", async () => {
    tags.push("new");
    tags[0] = "first";
    tags.length = 0;
    input.tags.sort();
    [tags[1]] = ["second"];
    at.setUTCDate(1);
    (counts as Map<string, number>).set("a", 1);
    url.searchParams.append("a", "b");
    Object.assign(input, { more: 1 });
    delete input!.at;
    // A copy may be changed, and these make one.
    const copy = [...tags];
    copy.push("new");
    tags.slice().push("new");
    return [tags.toSorted(), counts.get("a"), tags.length];
  });
});
