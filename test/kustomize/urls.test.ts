import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isRepositoryUrl } from "../../src/kustomize/loader.js";
import { buildByKubectl, buildByKubets, kubectl, writeTree } from "./run-build.js";
import { configMap } from "./trees.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "kubets-kustomize-")));
let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === "/config.yaml") response.end(configMap);
    else if (request.url === "/moved.yaml") response.writeHead(302, { location: "/config.yaml" }).end();
    else response.writeHead(request.url === "/broken.yaml" ? 500 : 404).end("no");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true, force: true });
});

describe.skipIf(kubectl.missing !== undefined)("kustomize loads files from the web as the real kubectl does", () => {
  test.each([
    ["one that is there", "resources: [BASE/config.yaml]\n"],
    ["one that has moved", "resources: [BASE/moved.yaml]\nnamePrefix: a-\n"],
    ["one that is not there", "resources: [BASE/none.yaml]\n"],
    ["a server that is broken", "resources: [BASE/broken.yaml]\n"],
    ["a file of a generator", "configMapGenerator:\n- name: a\n  files: [x=BASE/config.yaml]\n"],
    ["a file of a generator that is not there", "configMapGenerator:\n- name: a\n  files: [x=BASE/none]\n"],
  ])("for %s", async (_, text) => {
    const files = `-- kustomization.yaml --\n${text.replaceAll("BASE", base)}`;
    const folder = writeTree(root, { name: "", files });
    expect(await buildByKubets(folder)).toEqual(await buildByKubectl(folder));
  });
});

describe("git repositories as kustomize resources", () => {
  test.each([
    "https://github.com/kubernetes-sigs/kustomize//examples/multibases?ref=v1",
    "github.com/kubernetes-sigs/kustomize/examples",
    "github.com:org/repo",
    "git@github.com:org/repo.git",
    "ssh://git@example.com/org/repo",
    "file:///srv/repo.git//sub",
    "https://example.com/org/repo.git/sub",
    "git::https://example.com/org/repo",
  ])("are recognized: %s", (path) => {
    expect(isRepositoryUrl(path)).toBe(true);
  });

  test.each([
    "../base",
    "/abs/path",
    "base",
    "example.com/org/repo",
    "https://example.com/file.yaml",
    "https://x",
    ".git",
  ])("are not confused with other resources: %s", (path) => {
    expect(isRepositoryUrl(path)).toBe(false);
  });

  test("are refused, with an alternative in the error", async () => {
    const files = "-- kustomization.yaml --\nresources: [github.com/org/repo]\n";
    const { stdout, stderr } = await buildByKubets(writeTree(root, { name: "", files }));
    expect(stdout).toBe("");
    expect(stderr).toContain("repositories are not cloned: clone it yourself and name the folder");
  });
});

test.each([
  ["a field", "helmCharts:\n- name: a\n"],
  [
    "a generator",
    "generators: ['{apiVersion: builtin, kind: HelmChartInflationGenerator, metadata: {name: a}, name: a}']\n",
  ],
])("Helm charts in a kustomization are accepted with --enable-helm and not rendered: %s", async (_, text) => {
  const files = `-- kustomization.yaml --\n${text}`;
  const { stdout, stderr } = await buildByKubets(writeTree(root, { name: "", files }), ".", { helmCommand: "helm" });
  expect(stdout).toBe("");
  expect(stderr).toBe(
    "error: helmCharts are not rendered: render the chart with `helm template` into a file, and list that file in `resources`\n",
  );
});
