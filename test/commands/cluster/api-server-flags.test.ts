import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../../helpers/run-cli.js";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "authz-flags-"))));
afterAll(() => rmSync(folder, { recursive: true }));

const TRUE = [process.execPath, "-e", "process.exit(0)"];
const run = (...flags: string[]) =>
  runCli(["cluster", "run", ...flags, "--", ...TRUE], { program: "kubets", cwd: folder, env: { HOME: folder } });

describe("kubets cluster run and cluster start with flags of kube-apiserver", () => {
  test.each([
    [
      "an unknown mode",
      ["--authorization-mode=Magic"],
      'invalid --authorization-mode "Magic": use Node, RBAC, AlwaysAllow, AlwaysDeny',
    ],
    ["a mode that needs a file", ["--authorization-mode=ABAC"], 'invalid --authorization-mode "ABAC"'],
    [
      "a mode twice",
      ["--authorization-mode=RBAC,RBAC"],
      "--authorization-mode=RBAC,RBAC names a mode more than once; name each mode once",
    ],
    [
      "no mode",
      ["--authorization-mode="],
      "--authorization-mode needs at least one of Node, RBAC, AlwaysAllow, AlwaysDeny",
    ],
    [
      "both flags",
      ["--authorization-mode=RBAC", "--authorization-config=c"],
      "--authorization-config and --authorization-mode cannot be given together",
    ],
  ])("refuse %s", async (_, flags, message) => {
    for (const command of [
      ["run", ...flags, "--", ...TRUE],
      ["start", "dev", ...flags],
    ]) {
      const { code, stderr } = await runCli(["cluster", ...command], { program: "kubets", env: { HOME: folder } });
      expect(code).toBe(1);
      expect(stderr).toContain(message);
    }
  });

  test("name an invalid file, and start nothing", async () => {
    writeFileSync(
      join(folder, "bad.yaml"),
      "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n",
    );
    const { code, stderr } = await run("--authorization-config=bad.yaml");
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: authorization config file ${join(folder, "bad.yaml")}: authorizers: Required value: at least one authorization mode must be defined\n`,
    );
  });

  test("accept authorization modes, and a file path relative to the working directory", async () => {
    expect(await run("--authorization-mode=AlwaysDeny")).toMatchObject({ code: 0, stderr: "" });
    const text =
      "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers: [{type: AlwaysDeny, name: alwaysdeny}]\n";
    writeFileSync(join(folder, "good.yaml"), text);
    expect(await run("--authorization-config=good.yaml")).toMatchObject({ code: 0, stderr: "" });
  });
});
