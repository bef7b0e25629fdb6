import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseYaml } from "../../../src/machinery/text/yaml/read.js";
import { runCli } from "../../helpers/run-cli.js";

const folder = mkdtempSync(join(tmpdir(), "kubets-project-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const begin = (name: string, ...flags: string[]) =>
  runCli(["project", "new", "operator", name, ...flags], { cwd: folder, program: "kubets" });
const KIND = ["--group=example.com", "--kind=BookShelf"];

describe("kubets project new operator", () => {
  test("says what it wrote, and what comes next", async () => {
    const { code, stdout, stderr } = await begin("first", ...KIND);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^first with \d+ files is in first\. Next:\n\n {2}cd first\n {2}npm install\n {2}npm test\n/,
    );
  });

  test("writes manifests that are YAML, and a package.json with the name of the folder", () => {
    const project = join(folder, "first");
    const files = readdirSync(project, { recursive: true, encoding: "utf8" });
    for (const file of files.filter((path) => /\.ya?ml$/.test(path))) {
      for (const text of readFileSync(join(project, file), "utf8").split("---\n"))
        expect(() => parseYaml(text)).not.toThrow();
    }
    expect(JSON.parse(readFileSync(join(project, "package.json"), "utf8"))).toMatchObject({ name: "first" });
  });

  test.each([
    ["a group that is no domain", ["--group=example", "--kind=Shelf"], '--group "example" is wrong: give a domain'],
    ["a group of Kubernetes", ["--group=apps.k8s.io", "--kind=Shelf"], "belong to Kubernetes"],
    ["a kind in lower case", ["--group=example.com", "--kind=shelf"], '--kind "shelf" is wrong: give a name as Shelf'],
    ["a version that Kubernetes does not know", [...KIND, "--api-version=1"], '--api-version "1" is wrong'],
    ["a plural with capitals", [...KIND, "--plural=Shelves"], '--plural "Shelves" is wrong'],
    ["a name that no object may have", [...KIND, "--name=My_Operator"], 'the name "My_Operator" is wrong'],
  ])("refuses %s, and writes nothing", async (_, flags, message) => {
    const { code, stderr } = await begin("refused", ...flags);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(existsSync(join(folder, "refused"))).toBe(false);
  });

  test("names the flags that are missing where it cannot ask", async () => {
    const { code, stderr } = await begin("asked");
    expect(code).toBe(1);
    expect(stderr).toContain("give --group and --kind");
  });

  test("asks on a terminal for what no flag gives", async () => {
    const words = ["project", "new", "operator", "asked", "--group=example.com"];
    const { code } = await runCli(words, { cwd: folder, program: "kubets", terminal: true, typed: "Lamp\n" });
    expect(code).toBe(0);
    expect(existsSync(join(folder, "asked/src/api/lamp.ts"))).toBe(true);
  });

  test("writes nothing where one of its files is there, and names it", async () => {
    mkdirSync(join(folder, "begun"));
    writeFileSync(join(folder, "begun/Dockerfile"), "mine");
    const { code, stderr } = await begin("begun", ...KIND);
    expect(code).toBe(1);
    expect(stderr).toContain("Dockerfile");
    expect(readdirSync(join(folder, "begun"))).toEqual(["Dockerfile"]);
  });

  test.each([
    ["Shelf", "shelfs"],
    ["Box", "boxes"],
    ["Policy", "policies"],
    ["Gateway", "gateways"],
  ])("guesses the plural of %s by the rules of English: %s", async (kind, plural) => {
    await begin(`plural-${plural}`, "--group=example.com", `--kind=${kind}`);
    const file = join(folder, `plural-${plural}/src/api/${kind.toLowerCase()}.ts`);
    expect(readFileSync(file, "utf8")).toContain(`{ plural: "${plural}", namespaced: true }`);
  });
});

describe("kubets project add kind", () => {
  const add = (cwd: string, ...words: string[]) =>
    runCli(["project", "add", "kind", ...words], { cwd, program: "kubets" });
  const text = (path: string): string => readFileSync(join(folder, "first", path), "utf8");

  test("adds a line to each list of kinds, in the group of the first kind", async () => {
    const { code, stderr } = await add(join(folder, "first"), "Reader");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(text("src/api/index.ts")).toBe('export * from "./book-shelf.js";\nexport * from "./reader.js";\n');
    expect(text("src/webhooks/index.ts")).toContain(
      "  addReaderWebhooks(manager);\n  addBookShelfWebhooks(manager);\n",
    );
    expect(text("src/api/reader.ts")).toContain('"example.com",\n  "Reader",');
    expect(text("src/rights.ts")).toContain('resources: ["readers"]');
  });

  test("prints the lines to add where a person has changed a list, and leaves that as it is", async () => {
    const changed = "export const addControllers = () => {};\n";
    writeFileSync(join(folder, "first/src/controllers/index.ts"), changed);
    const { code, stderr } = await add(join(folder, "first"), "Writer");
    expect(code).toBe(0);
    expect(stderr).toBe(
      `Add these lines by hand:\n\nsrc/controllers/index.ts:
import { addWriterController } from "./writer.js";
  addWriterController(manager);
`,
    );
    expect(text("src/controllers/index.ts")).toBe(changed);
  });

  test("asks for --group where the project has no kind", async () => {
    mkdirSync(join(folder, "bare"));
    writeFileSync(join(folder, "bare/package.json"), '{"name":"bare"}');
    const { code, stderr } = await add(join(folder, "bare"), "Reader");
    expect(code).toBe(1);
    expect(stderr).toContain("give --group");
  });
});

describe("kubets project generate", () => {
  const generate = (cwd: string, ...flags: string[]) =>
    runCli(["project", "generate", ...flags], { cwd, program: "kubets" });

  test("refuses a part that there is not", async () => {
    const { code, stderr } = await generate(folder, "roles");
    expect(code).toBe(1);
    expect(stderr).toContain("roles is not one of crd, rbac, webhook");
  });

  test("asks for a build where the project has none", async () => {
    const { code, stderr } = await generate(join(folder, "first"));
    expect(code).toBe(1);
    expect(stderr).toContain("dist/api/index.js is missing: build the project first, by npm run build");
  });
});
