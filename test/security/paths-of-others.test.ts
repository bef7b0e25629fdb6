import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { machineFiles } from "../../src/base/files/command-files.js";
import { systemRandom } from "../../src/base/numbers/random.js";
import { discoveryFolder } from "../../src/client/discovery/cached-discovery.js";
import { VersionsFolder } from "../../src/commands/diff/diff.js";
import { runCli } from "../helpers/run-cli.js";

/** What leads out of any folder below the test's own, into it. */
const OUT = "../../../../../../pwned";

const empty = { kind: "List", apiVersion: "v1", items: [] };
const pods = { ...empty, kind: "PodList", items: [{ metadata: { name: OUT, namespace: OUT }, spec: {} }] };

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const discovered = (group: string, resource: string, kind: string): object => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  items: [
    {
      metadata: { name: group },
      versions: [
        {
          version: "v1",
          resources: [
            { resource, responseKind: { group, version: "v1", kind }, scope: "Namespaced", verbs: ["get", "list"] },
          ],
        },
      ],
    },
  ],
});

/** A server whose words are names of files elsewhere. */
function answerOf(path: string): object {
  if (path === "/api") return discovered("", "pods", "Pod");
  if (path === "/apis") return discovered(OUT, "things", "Thing");
  return path.endsWith("/pods") ? pods : empty;
}

describe("names that an attacker chose in servers, kubeconfigs and manifests cannot lead kubets out of a folder", () => {
  let server: Server;
  let root: string;
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://localhost");
      const type = /^\/apis?$/.test(pathname) ? AGGREGATED : "application/json";
      response.setHeader("content-type", type).end(JSON.stringify(answerOf(pathname)));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    root = mkdtempSync(join(tmpdir(), "kubets-paths-"));
  });
  beforeEach(() => {
    rmSync(root, { recursive: true });
    folder = join(root, "a/b/c/d");
    mkdirSync(folder, { recursive: true });
    const { port } = server.address() as AddressInfo;
    const config = {
      "current-context": "x",
      clusters: [{ name: "x", cluster: { server: `http://127.0.0.1:${port}` } }],
      contexts: [{ name: "x", context: { cluster: "x", user: "" } }],
    };
    writeFileSync(join(folder, "config"), JSON.stringify(config));
    env = { HOME: folder, KUBECONFIG: join(folder, "config") };
  });
  afterAll(() => {
    server.close();
    rmSync(root, { recursive: true });
  });

  /** Every file and folder of the test's own that does not lie in `below`. */
  const outside = (below: string): readonly string[] =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
      (path) => !join(root, path).startsWith(below) && !below.startsWith(join(root, path)) && !path.endsWith("config"),
    );

  test("for a group of discovery, which is cached below the cache folder", async () => {
    const cache = join(folder, "cache");
    await runCli(["api-resources", `--cache-dir=${cache}`], { env, cwd: folder });
    expect(outside(cache)).toEqual([]);
    const cached = readdirSync(join(cache, "discovery"), { recursive: true, encoding: "utf8" });
    expect(cached.filter((path) => path.endsWith("v1/serverresources.json"))).toHaveLength(2);
  });

  test.each(["https://x/../../../../pwned", "https://..", "https://../..", "http://x/..//../../../pwned:1"])(
    "for the cache of the server %s",
    (url) => {
      expect(discoveryFolder("/cache", url)).toMatch(/^\/cache\/discovery\/[^/]/);
    },
  );

  test("for cluster-info dump, which writes into its folder", async () => {
    const dump = join(folder, "dump");
    const argv = ["cluster-info", "dump", "--namespaces=default", `--output-directory=${dump}`, `--cache-dir=${dump}`];
    const { stderr } = await runCli(argv, { env, cwd: folder });
    expect(stderr).toBe("");
    const encoded = OUT.replaceAll("/", "%2F");
    expect(readdirSync(join(dump, "default"))).toContain("pods.json");
    expect(readdirSync(join(dump, "default", encoded))).toEqual(["logs.txt"]);
    expect(outside(dump)).toEqual([]);
  });

  test("for kustomize build, which writes into its folder", async () => {
    const built = join(folder, "built");
    mkdirSync(built);
    const manifest = { apiVersion: "v1", kind: `../${OUT}`, metadata: { name: OUT } };
    writeFileSync(join(folder, "kustomization.yaml"), "resources: [object.yaml]\n");
    writeFileSync(join(folder, "object.yaml"), JSON.stringify(manifest));
    const { stderr } = await runCli(["kustomize", folder, "-o", built], { env, cwd: folder });
    expect(stderr).toBe("");
    expect(readdirSync(built)).toHaveLength(1);
    expect(existsSync(join(root, "pwned"))).toBe(false);
  });

  test("for diff, whose files stay in its temporary folder", async () => {
    const host = { env: { TMPDIR: folder }, files: machineFiles, platform: process.platform, random: systemRandom };
    const versions = new VersionsFolder("LIVE", host);
    await versions.write(`v1.ConfigMap.default.${OUT}`, undefined);
    expect(readdirSync(versions.path)).toHaveLength(1);
    expect(outside(versions.path)).toEqual([]);
  });
});
