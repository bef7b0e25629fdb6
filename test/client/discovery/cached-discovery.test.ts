import { existsSync, mkdtempSync, readFileSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import type { ClientConfig } from "../../../src/client/config/client-config.js";
import { createCachedDiscovery, discoveryFolder } from "../../../src/client/discovery/cached-discovery.js";
import { leveledLog } from "../../../src/machinery/text/klog/leveled-log.js";
import { createRestMapper } from "../../../src/client/mapper/discovery-mapper.js";
import { createRestClient } from "../../../src/client/rest/create-rest-client.js";
import type { RestMapper } from "../../../src/machinery/rest-mapper.js";
import { type DiscoveryServer, discoveryServer, groups } from "./documents.js";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function serve(
  form: "aggregated" | "older" = "aggregated",
): Promise<DiscoveryServer & { readonly cacheDir: string }> {
  const server = await discoveryServer(form);
  open.push(server);
  return Object.assign(server, { cacheDir: mkdtempSync(join(tmpdir(), "kubets-discovery-")) });
}

function configOf(server: string, cacheDir: string): ClientConfig {
  return {
    server,
    tls: { insecureSkipVerify: false },
    auth: {},
    disableCompression: false,
    timeout: 0,
    userAgent: "test",
    namespace: "default",
    namespaceEnforced: false,
    cacheDir,
  };
}

/** What a new command over the same cache folder would have. */
function command(server: string, cacheDir: string) {
  const client = createRestClient(configOf(server, cacheDir));
  open.push(client);
  const log: string[] = [];
  const warnings: string[] = [];
  client.onWarning = (text) => warnings.push(text);
  const discovery = createCachedDiscovery({
    client,
    cacheDir,
    clock: systemClock,
    random: systemRandom,
    onError: ({ source, message, error, values = {} }) =>
      log.push([source, message, error, ...Object.values(values)].join(": ")),
  });
  return { discovery, mapper: createRestMapper(discovery), log, warnings };
}

describe("discovery with kubectl's disk cache", () => {
  test("sends two requests to an aggregated server, writes the cache files, and then sends no more", async () => {
    const server = await serve();
    const first = command(server.url, server.cacheDir);
    expect(
      (await first.discovery.groups()).map(({ name, versions, preferredVersion }) => [
        name,
        versions.join(),
        preferredVersion,
      ]),
    ).toEqual([
      ["", "v1", "v1"],
      ["apps", "v1,v1beta1", "v1"],
      ["events.k8s.io", "v1", "v1"],
      ["stale.io", "v1beta1", "v1beta1"],
    ]);
    const { resources } = await first.discovery.resources();
    expect(first.discovery.fresh()).toBe(true);
    expect(server.requests).toEqual(["GET /api?timeout=32s", "GET /apis?timeout=32s"]);
    const folder = join(server.cacheDir, "discovery", server.url.replace("http://", "").replace(":", "_"));
    expect(discoveryFolder(server.cacheDir, server.url)).toBe(folder);
    expect(readFileSync(join(folder, "stale.io/v1beta1/serverresources.json"), "utf8")).toBe(
      '{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"stale.io/v1beta1","resources":[{"name":"things","singularName":"thing","namespaced":false,"group":"stale.io","version":"v1beta1","kind":"Thing","verbs":["get","list"]}]}\n',
    );
    expect(readFileSync(join(folder, "servergroups.json"), "utf8")).toContain(
      '{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"","versions":[{"groupVersion":"v1","version":"v1"}],"preferredVersion":{"groupVersion":"v1","version":"v1"}},',
    );
    const second = command(server.url, server.cacheDir);
    expect((await second.discovery.resources()).resources).toEqual(resources);
    expect(second.discovery.fresh()).toBe(false);
    expect(server.requests).toHaveLength(2);
  });

  test("revalidates cached files by their ETag after six hours", async () => {
    const server = await serve();
    await command(server.url, server.cacheDir).discovery.resources();
    const groupsFile = join(discoveryFolder(server.cacheDir, server.url), "servergroups.json");
    const old = new Date(Date.now() - 7 * 60 * 60 * 1000);
    utimesSync(groupsFile, old, old);
    await command(server.url, server.cacheDir).discovery.groups();
    expect(server.requests.slice(2)).toEqual(["GET /api?timeout=32s 304", "GET /apis?timeout=32s 304"]);
  });

  test("sends a request for each group version to an older server; a failed one is reported, and the others follow", async () => {
    const server = await serve("older");
    const { discovery, log } = command(server.url, server.cacheDir);
    const { resources, failed } = await discovery.resources();
    expect(server.requests.slice(0, 3)).toEqual([
      "GET /api?timeout=32s",
      "GET /apis?timeout=32s",
      "GET /api/v1?timeout=32s",
    ]);
    expect(resources.map(({ name }) => name)).toEqual([
      "pods",
      "events",
      "nodes",
      "deployments",
      "deployments",
      "olds",
      "events",
      "things",
    ]);
    expect([...failed.keys()]).toEqual(["stale.io/v1"]);
    expect(log).toEqual([
      "memcache.go:403: Couldn't get resource list: the server could not find the requested resource: stale.io/v1",
    ]);
  });

  test("logs the cache files that it read, and those that it could not write", async () => {
    const server = await serve();
    const lines: string[] = [];
    const write = (line: string | Uint8Array): void => void lines.push(String(line).replace(/^.*? (?=\S+\.go:)/, ""));
    const log = leveledLog({ level: 10, modules: "", clock: systemClock, pid: 1, write });
    const groupsOver = async (cacheDir: string): Promise<string> => {
      const client = createRestClient(configOf(server.url, cacheDir));
      open.push(client);
      await createCachedDiscovery({ client, cacheDir, clock: systemClock, random: systemRandom, log }).groups();
      return lines.splice(0).join("");
    };
    expect(await groupsOver(server.cacheDir)).toBe("");
    const folder = discoveryFolder(server.cacheDir, server.url);
    const read = `cached_discovery.go:146] "Returning cached discovery info" fileName="${folder}/servergroups.json"\n`;
    expect(await groupsOver(server.cacheDir)).toBe(read);
    const noFolder = join(folder, "servergroups.json");
    expect(await groupsOver(noFolder)).toContain(
      `cached_discovery.go:162] "Failed to write cache" fileName="${noFolder}/`,
    );
  });

  test("logs a server that cannot be reached at every lookup", async () => {
    const { mapper, log } = command("http://127.0.0.1:1", mkdtempSync(join(tmpdir(), "kubets-discovery-")));
    expect(await mapper.category("pods")).toBeUndefined();
    await expect(mapper.resourceFor("pods")).rejects.toThrow("connection refused");
    expect(log).toHaveLength(5);
  });

  test("writes no cache file for a failed answer", async () => {
    const cacheDir = mkdtempSync(join(tmpdir(), "kubets-discovery-"));
    await command("http://127.0.0.1:1", cacheDir)
      .discovery.groups()
      .catch(() => undefined);
    expect(existsSync(discoveryFolder(cacheDir, "http://127.0.0.1:1"))).toBe(false);
  });
});

describe("mapping a name of a resource or kind", () => {
  const show = async (mapper: RestMapper, word: string) => {
    try {
      const { group, version, resource } = await mapper.resourceFor(word);
      return `${resource}.${version}.${group}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };

  test.each([
    ["pods", "pods.v1."],
    ["pod", "pods.v1."],
    ["po", "pods.v1."],
    ["Pod", "pods.v1."],
    ["deploy", "deployments.v1.apps"],
    ["deploy.apps", "deployments.v1.apps"],
    ["deployments.app", "deployments.v1.apps"],
    ["deployments.v1beta1.apps", "deployments.v1beta1.apps"],
    ["Deployment.v1beta1.apps", "deployments.v1beta1.apps"],
    ["events", "events.v1."],
    ["ev.events.k8s.io", "events.v1.events.k8s.io"],
    ["events.events", "events.v1.events.k8s.io"],
    ["olds", "olds.v1beta1.apps"],
    ["thing", "things.v1beta1.stale.io"],
    ["foo", "no matches for /, Resource=foo"],
    ["pods.nope", "no matches for nope/, Resource=pods"],
    ["deployments.v9.apps", "no matches for v9.apps/, Resource=deployments"],
  ])("resolves %s to %s", async (word, expected) => {
    const server = await serve();
    expect(await show(command(server.url, server.cacheDir).mapper, word)).toBe(expected);
  });

  test("resolves kinds with and without a version, and reports unknown ones", async () => {
    const server = await serve();
    const { mapper } = command(server.url, server.cacheDir);
    expect(await mapper.mappingFor({ group: "apps", kind: "Deployment" })).toEqual({
      resource: { group: "apps", version: "v1", resource: "deployments" },
      kind: { group: "apps", version: "v1", kind: "Deployment" },
      namespaced: true,
    });
    expect((await mapper.mappingFor({ group: "stale.io", kind: "Thing" }, "v1beta1")).namespaced).toBe(false);
    await expect(mapper.mappingFor({ group: "apps", kind: "Foo" })).rejects.toThrow(
      'no matches for kind "Foo" in group "apps"',
    );
    await expect(mapper.mappingFor({ group: "apps", kind: "Deployment" }, "v9")).rejects.toThrow(
      'no matches for kind "Deployment" in version "apps/v9"',
    );
  });

  test("resolves categories, and reports a short name that two resources share", async () => {
    const server = await serve();
    const { mapper, warnings } = command(server.url, server.cacheDir);
    expect((await mapper.category("all"))?.map(({ resource, group }) => `${resource}.${group}`)).toEqual([
      "pods.",
      "deployments.apps",
    ]);
    expect(await mapper.category("pods")).toBeUndefined();
    await mapper.resourceFor("po");
    expect(warnings).toEqual(['short name "po" could also match lower priority resource olds.apps']);
  });

  test("refreshes an older cache once when the name is not found", async () => {
    const server = await serve();
    await command(server.url, server.cacheDir).discovery.resources();
    server.groups = { ...groups, "new.io": { v1: [{ name: "news", kind: "New", shortNames: ["nw"] }] } };
    const { mapper } = command(server.url, server.cacheDir);
    expect(await show(mapper, "nw")).toBe("news.v1.new.io");
    expect(server.requests).toHaveLength(4);
    expect(await show(mapper, "foo")).toBe("no matches for /, Resource=foo");
    expect(server.requests).toHaveLength(4);
  });
});
