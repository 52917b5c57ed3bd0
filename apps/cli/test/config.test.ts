import { beforeAll, expect, it } from "vitest";
import { build } from "./command.ts";
import { cairnOnce, freePorts, installedProject } from "./processes/processes.ts";

beforeAll(build);

it("cairn.config.ts is loaded by every command with settings, and says what is wrong with it in one line", async () => {
  const [port = ""] = await freePorts(1);
  const config = `import type { CairnConfig } from "@cairnjs/cli";
import { port } from "./port.ts";
export default { apiUrl: \`http://127.0.0.1:\${port}\`, controlPlaneGrpcUrl: \`127.0.0.1:\${port}\` } satisfies CairnConfig;
`;
  const right = installedProject({ "cairn.config.ts": config, "port.ts": `export const port: string = "${port}";` });
  const wrong = installedProject({ "cairn.config.ts": "export default { apiUlr: 1 as number };" });
  const cases: [string, string[], string][] = [
    [right, ["runs", "list"], `No control plane answers at http://127.0.0.1:${port}:`],
    [right, ["run", "a.b"], `No control plane answers at 127.0.0.1:${port}:`],
    [right, ["workers", "--api-url", "http://127.0.0.1:1"], "No control plane answers at http://127.0.0.1:1:"],
    [wrong, ["workers"], "cairn.config.ts has no setting apiUlr: did you mean apiUrl?"],
    [wrong, ["start"], "cairn.config.ts has no setting apiUlr: did you mean apiUrl?"],
  ];
  await Promise.all(
    cases.map(async ([folder, args, says]) => {
      const ran = await cairnOnce(folder, args);
      expect(ran).toMatchObject({ code: 1, stdout: "", text: expect.stringContaining(says) });
      expect(ran.text.trimEnd().split("\n")).toHaveLength(1);
    }),
  );
});
