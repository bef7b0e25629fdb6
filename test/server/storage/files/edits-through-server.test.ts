import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import { filesBelow } from "../../../../src/server/storage/files/load-folder.js";
import { type Answer, call } from "../../../helpers/api-caller.js";
import { PATIENCE } from "../../../helpers/patience.js";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

describe("a user edits files of a cluster's file storage by hand (T16)", () => {
  let folder = "";
  let cluster: Cluster | undefined;
  let warnings: string[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubets-edits-"));
  });

  afterEach(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    warnings = [];
    cluster = await startCluster({
      storage: `files:${folder}`,
      port: false,
      controllers: false,
      scheduler: false,
      onWarning: (warning) => void warnings.push(warning),
    });
  }

  async function stop(): Promise<void> {
    await cluster?.close();
    cluster = undefined;
  }

  function send(method: string, path: string, body?: unknown): Promise<Answer> {
    if (cluster === undefined) throw new Error("no cluster");
    return call(cluster.transport(), method, path, body);
  }

  const text = (answer: Answer, path: string): string => JSON.stringify(answer.at(path)).replaceAll('"', "");

  const fileOf = (path: string): string => join(folder, `${path}.yaml`);

  async function edit(path: string, change: (text: string) => string): Promise<void> {
    await writeFile(fileOf(path), change(await readFile(fileOf(path), "utf8")));
  }

  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(fileOf(path)), { recursive: true });
    await writeFile(fileOf(path), text);
  }

  const until = (check: () => Promise<void> | void): Promise<void> =>
    vi.waitFor(check, { timeout: PATIENCE, interval: 20 });

  /** Of all files of objects, by their paths. */
  async function contents(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const path of await filesBelow(folder)) found.set(path, await readFile(join(folder, path), "utf8"));
    return found;
  }

  const MENU = "core/configmaps/default/menu";

  async function makeMenu(): Promise<Answer> {
    const made = await send("POST", CONFIG_MAPS, { metadata: { name: "menu" }, data: { soup: "yes" } });
    expect(made.status).toBe(201);
    return made;
  }

  const deployment = (replicas: number): unknown => ({
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "nginx" }] } },
    },
  });

  test("an edit is an update: with defaults, a generation, a field manager, and a watch event", async () => {
    await start();
    const made = await send("POST", DEPLOYMENTS, deployment(1));
    expect(made.status).toBe(201);
    await edit("apps/deployments/default/web", (text) => text.replace("replicas: 1", "replicas: 3"));
    await until(async () => expect((await send("GET", `${DEPLOYMENTS}/web`)).at("spec.replicas")).toBe(3));
    const found = await send("GET", `${DEPLOYMENTS}/web`);
    expect(found.at("metadata.generation")).toBe(2);
    expect(found.at("metadata.uid")).toBe(made.at("metadata.uid"));
    expect(found.text).toContain('"manager":"files"');
    expect(await readFile(fileOf("apps/deployments/default/web"), "utf8")).toContain("generation: 2");
    const changes = await send(
      "GET",
      `${DEPLOYMENTS}?watch=1&timeoutSeconds=1&resourceVersion=${text(made, "metadata.resourceVersion")}`,
    );
    expect(changes.text.split("\n").filter((line) => line.includes('"MODIFIED"'))).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test("a new file is a create, and a removed file a delete", async () => {
    await start();
    await write(MENU, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: menu\ndata: {soup: "1"}\n');
    await until(async () => expect((await send("GET", `${CONFIG_MAPS}/menu`)).status).toBe(200));
    expect((await send("GET", `${CONFIG_MAPS}/menu`)).at("metadata.uid")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await readFile(fileOf(MENU), "utf8")).toContain("uid: ");
    await rm(fileOf(MENU));
    await until(async () => expect((await send("GET", `${CONFIG_MAPS}/menu`)).status).toBe(404));
    expect(warnings).toEqual([]);
  });

  test("the removed file of an object with finalizers is written again, with its deletion time", async () => {
    await start();
    await send("POST", CONFIG_MAPS, { metadata: { name: "menu", finalizers: ["example.com/kept"] } });
    await rm(fileOf(MENU));
    await until(async () => expect(await readFile(fileOf(MENU), "utf8")).toContain("deletionTimestamp: "));
    await edit(MENU, (text) => text.replace("  finalizers:\n  - example.com/kept\n", ""));
    await until(async () => expect((await send("GET", `${CONFIG_MAPS}/menu`)).status).toBe(404));
  });

  test("the removed file of an object that may not be deleted is written again", async () => {
    await start();
    await rm(fileOf("core/namespaces/default"));
    await until(() => expect(warnings.join()).toContain("namespaces/default.yaml was removed, and is written again: "));
    await until(async () =>
      expect(await readFile(fileOf("core/namespaces/default"), "utf8")).toContain("name: default"),
    );
  });

  test.each([
    ["that the API refuses", (text: string) => text.replace("\n  soup:", "\n  so/up:"), "data[so/up]: Invalid value"],
    ["of a wrong type", (text: string) => text.replace('"yes"', "{a: b}"), "cannot unmarshal"],
    ["that is no YAML", (text: string) => `${text}\n  - [`, "yaml: line"],
    [
      "with another name inside",
      (text: string) => text.replace("name: menu", "name: other"),
      'metadata.name is "other"',
    ],
    [
      "in another namespace",
      (text: string) => text.replace("namespace: default", "namespace: x"),
      'metadata.namespace is "x"',
    ],
    ["of another kind", (text: string) => text.replace("kind: ConfigMap", "kind: Secret"), "it holds a Secret of v1"],
    ["that is half-written", (text: string) => text.slice(0, text.indexOf("nu\n")), 'metadata.name is "me"'],
    ["that is empty", () => "", "it is empty"],
  ])("an edit %s is reported, is not served, and is not overwritten", async (_, change, reason) => {
    await start();
    const made = await makeMenu();
    const good = await readFile(fileOf(MENU), "utf8");
    await edit(MENU, change);
    const bad = await readFile(fileOf(MENU), "utf8");
    await until(() => expect(warnings.join()).toContain(`file ${fileOf(MENU)} is not served as it is: `));
    expect(warnings.join()).toContain(reason);
    const served = await send("GET", `${CONFIG_MAPS}/menu`);
    expect(served.text).toBe(made.text);
    const refused = await send("PUT", `${CONFIG_MAPS}/menu`, { metadata: { name: "menu" }, data: { soup: "no" } });
    expect(refused.status).toBe(500);
    expect(refused.at("message")).toContain(`file ${fileOf(MENU)} was changed by another program, and is not served: `);
    expect((await send("DELETE", `${CONFIG_MAPS}/menu`)).status).toBe(500);
    expect(await readFile(fileOf(MENU), "utf8")).toBe(bad);
    await writeFile(fileOf(MENU), good);
    await until(async () => {
      const mended = await send("PUT", `${CONFIG_MAPS}/menu`, { metadata: { name: "menu" }, data: { soup: "no" } });
      expect(mended.status).toBe(200);
    });
  });

  test("a file that was broken while no server ran fails only its resource, until it is corrected (B-FS-04)", async () => {
    await start();
    const made = await makeMenu();
    await stop();
    const good = await readFile(fileOf(MENU), "utf8");
    await writeFile(fileOf(MENU), "kind: [");
    await start();
    const problem = `failed walking filepath ${fileOf(MENU)}: `;
    for (const path of [`${CONFIG_MAPS}/menu`, CONFIG_MAPS, "/api/v1/configmaps"]) {
      const answer = await send("GET", path);
      expect(answer.status).toBe(500);
      expect(answer.at("message")).toContain(problem);
    }
    expect((await send("DELETE", CONFIG_MAPS)).status).toBe(500);
    expect((await send("DELETE", `${CONFIG_MAPS}/menu`)).status).toBe(500);
    expect((await send("PUT", `${CONFIG_MAPS}/menu`, { metadata: { name: "menu" } })).status).toBe(500);
    expect((await send("POST", CONFIG_MAPS, { metadata: { name: "menu" } })).at("message")).toContain(problem);
    expect(await readFile(fileOf(MENU), "utf8")).toBe("kind: [");
    expect((await send("GET", "/api/v1/namespaces/default/secrets")).status).toBe(200);
    expect((await send("GET", "/api/v1/namespaces/kube-system/configmaps")).status).toBe(200);
    expect((await send("POST", CONFIG_MAPS, { metadata: { name: "other" } })).status).toBe(201);
    const revision = text(await send("GET", "/api/v1/namespaces"), "metadata.resourceVersion");
    const watching = send("GET", `${CONFIG_MAPS}?watch=1&timeoutSeconds=3&resourceVersion=${revision}`);
    await writeFile(fileOf(MENU), good);
    await until(async () => expect((await send("GET", CONFIG_MAPS)).status).toBe(200));
    expect((await send("GET", `${CONFIG_MAPS}/menu`)).at("metadata.uid")).toBe(made.at("metadata.uid"));
    expect((await watching).text).toContain('"ADDED"');
  });

  test("an edit while no server runs is checked at the next start", async () => {
    await start();
    const made = await send("POST", DEPLOYMENTS, deployment(1));
    await makeMenu();
    await stop();
    await edit("apps/deployments/default/web", (text) => text.replace("replicas: 1", "replicas: -4"));
    await edit(MENU, (text) => text.replace("\ndata:", "\nimmutable: true\ndata:"));
    await write("core/configmaps/default/added", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: added\n");
    await write("core/configmaps/new/added", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: added\n");
    await write("core/namespaces/new", "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: new\n");
    await start();
    await until(() =>
      expect(warnings.join()).toContain(`failed walking filepath ${fileOf("apps/deployments/default/web")}`),
    );
    expect(warnings.join()).toContain("spec.replicas: Invalid value: -4");
    await until(async () => expect((await send("GET", DEPLOYMENTS)).status).toBe(500));
    expect((await send("GET", `${CONFIG_MAPS}/menu`)).at("immutable")).toBe(true);
    await until(async () => {
      expect((await send("GET", `${CONFIG_MAPS}/added`)).at("metadata.uid")).toMatch(/^[0-9a-f-]{36}$/);
    });
    await until(async () => {
      const added = await send("GET", "/api/v1/namespaces/new/configmaps/added");
      expect(added.at("metadata.uid")).toMatch(/^[0-9a-f-]{36}$/);
    });
    await edit("apps/deployments/default/web", (text) => text.replace("replicas: -4", "replicas: 4"));
    await until(async () => expect((await send("GET", `${DEPLOYMENTS}/web`)).at("spec.replicas")).toBe(4));
    expect((await send("GET", `${DEPLOYMENTS}/web`)).at("metadata.uid")).toBe(made.at("metadata.uid"));
  });

  test("a copy of the folder, such as a Git clone, is served by a new server unchanged", async () => {
    await start();
    const made = await send("POST", DEPLOYMENTS, deployment(2));
    await makeMenu();
    const version = Number(text(made, "metadata.resourceVersion"));
    await stop();
    await rm(join(folder, ".kubets"), { recursive: true });
    const before = await contents();
    await start();
    expect((await send("GET", `${DEPLOYMENTS}/web`)).at("metadata.uid")).toBe(made.at("metadata.uid"));
    // All files are looked at anew, the last ones last.
    await until(async () => {
      const known = await readFile(join(folder, ".kubets/written"), "utf8");
      for (const path of before.keys()) expect(known).toContain(path);
    });
    const after = await contents();
    const ours = [...before.keys()].filter((path) => /deployments|menu|namespaces|flowcontrol/.test(path));
    expect(ours.length).toBeGreaterThan(10);
    expect(ours.map((path) => after.get(path))).toEqual(ours.map((path) => before.get(path)));
    expect(warnings).toEqual([]);
    expect(Number(text(await send("GET", `${DEPLOYMENTS}/web`), "metadata.resourceVersion"))).toBeGreaterThan(version);
  });

  test("an edit that is refused for the state of the cluster is tried again", async () => {
    await start();
    await write("core/configmaps/later/menu", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: menu\n");
    await until(() => expect(warnings.join()).toContain('namespaces "later" not found'));
    await send("POST", "/api/v1/namespaces", { metadata: { name: "later" } });
    await until(async () => {
      expect((await send("GET", "/api/v1/namespaces/later/configmaps/menu")).status).toBe(200);
    });
    expect(warnings).toHaveLength(1);
  });

  test("while the folder is missing, writes fail and no object counts as deleted", async () => {
    await start();
    await makeMenu();
    await rm(folder, { recursive: true });
    const refused = await send("POST", CONFIG_MAPS, { metadata: { name: "other" } });
    expect(refused.status).toBe(500);
    expect(refused.at("message")).toContain(`folder ${folder} was removed or replaced`);
    expect((await send("GET", `${CONFIG_MAPS}/menu`)).status).toBe(200);
    expect((await send("GET", "/readyz")).status).not.toBe(200);
  });
});
