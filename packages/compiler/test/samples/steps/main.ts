import { step, workflow } from "cairnjs";

async function save(id: string) {
  const at = Date.now();
  return step("save", async () => ({ id, at }));
}

export default workflow("samples.steps", async (input: { id: string }) => {
  let total = 0;
  const add = () => total++;
  add();
  const sent = await step("send", async () => {
    const inner = total + 1;
    return fetch(`https://example.org/${input.id}/${inner}`).then((response) => response.status);
  });
  return [await save(input.id), sent];
});
