import { step, workflow } from "cairnjs";

export default workflow("orders.collect", async (ids: string[]) => {
  const found: string[] = [];
  for (const id of ids) {
    await step("look", async () => {
      const response = await fetch(`https://example.com/${id}`);
      if (response.ok) found.push(id);
    });
  }
  return found;
});
