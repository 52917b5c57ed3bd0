import { workflow } from "cairnjs";

const settings = { retries: 3, list: [1] };
enum Size {
  Small,
}

export default workflow("sample", async () => {
  settings.retries = 5;
  settings.list[0]++;
  delete settings.list;
  ({ a: settings.retries } = { a: 1 });
  [settings.retries] = [1];
  (settings as any).other = 1;
  Size.Small = 3;
  const copy = { ...settings };
  copy.retries = 6;
});
