import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RunningServer } from "../../../../src/cluster/running-server.js";
import { startServer } from "../../../../src/cluster/start-server.js";
import type { ResourceDefinition } from "../../../../src/server/api-registry/resource-definition.js";
import { type Answer, call } from "../../../helpers/api-caller.js";
import { PATIENCE } from "../../../helpers/patience.js";
import { COLLECTION, GROUP, widgets } from "../../api-registry/widgets.js";

const ALL = `/apis/${GROUP}/v1/widgets`;

/** The demands on the file store of custom-api-servers, with a server of one's own. */
describe("resources of a user's server in file storage (T16)", () => {
  let folder = "";
  let server: RunningServer;

  const start = async (resource: ResourceDefinition = widgets): Promise<void> => {
    server = await startServer({ port: false, storage: `files:${folder}`, resources: [resource] });
  };
  const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
    call(server.transport(), method, path, body);
  const make = (name: string, rest: object = {}): Promise<Answer> =>
    send("POST", COLLECTION, { metadata: { name }, ...rest });
  const fileOf = (name: string): string => join(folder, GROUP, "widgets", "default", `${name}.yaml`);
  const textOf = (answer: Answer, path: string): string => JSON.stringify(answer.at(path)).replaceAll('"', "");
  const namesOf = (answer: Answer): readonly string[] =>
    (JSON.parse(answer.text) as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubets-widgets-"));
    await start();
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("B-FS-01, B-FS-05: a create makes the file, with a uid and a time", async () => {
    const made = await make("a", { spec: { size: 3 } });
    expect(made.status).toBe(201);
    const text = await readFile(fileOf("a"), "utf8");
    expect(text).toContain("  name: a\n  namespace: default\n");
    expect(text).toMatch(/^ {2}uid: [0-9a-f-]{36}$/m);
    expect(text).toMatch(/^ {2}creationTimestamp: "/m);
    expect(text).toContain("spec:\n  size: 3\n");
    expect((await make("a")).at("reason")).toBe("AlreadyExists");
    expect((await send("GET", `${COLLECTION}/none`)).at("message")).toBe(`widgets.${GROUP} "none" not found`);
  });

  test("B-FS-04: a namespace without a folder is an empty list, and a list without a namespace has all", async () => {
    expect(namesOf(await send("GET", COLLECTION))).toEqual([]);
    await make("a");
    await send("POST", COLLECTION.replace("default", "other"), { metadata: { name: "b" } });
    expect(namesOf(await send("GET", ALL))).toEqual(["a", "b"]);
    expect(namesOf(await send("GET", `${ALL}?fieldSelector=metadata.name=b`))).toEqual(["b"]);
    const page = await send("GET", `${ALL}?limit=1`);
    expect(namesOf(page)).toEqual(["a"]);
    expect(namesOf(await send("GET", `${ALL}?limit=1&continue=${textOf(page, "metadata.continue")}`))).toEqual(["b"]);
  });

  test("B-FS-06: an update changes the file, an outdated one conflicts, and a dry run writes nothing", async () => {
    const made = await make("a", { spec: { size: 1 } });
    const object = JSON.parse(made.text) as object;
    expect((await send("PUT", `${COLLECTION}/a?dryRun=All`, { ...object, spec: { size: 2 } })).at("spec.size")).toBe(2);
    expect(await readFile(fileOf("a"), "utf8")).toContain("size: 1");
    expect((await send("PUT", `${COLLECTION}/a`, { ...object, spec: { size: 2 } })).status).toBe(200);
    expect(await readFile(fileOf("a"), "utf8")).toContain("size: 2");
    expect((await send("PUT", `${COLLECTION}/a`, { ...object, spec: { size: 4 } })).at("reason")).toBe("Conflict");
    expect((await send("PUT", `${COLLECTION}/none`, { metadata: { name: "none" } })).status).toBe(404);
  });

  test("B-FS-07, B-FS-08: a delete removes the file, a collection's delete all files, and watches get the events", async () => {
    for (const name of ["a", "b", "c"]) await make(name);
    const version = textOf(await send("GET", COLLECTION), "metadata.resourceVersion");
    expect((await send("DELETE", `${COLLECTION}/none`)).status).toBe(404);
    expect((await send("DELETE", `${COLLECTION}/a`)).status).toBe(200);
    expect((await send("DELETE", COLLECTION)).status).toBe(200);
    expect(await readdir(join(folder, GROUP, "widgets", "default"))).toEqual([]);
    const told = await send("GET", `${COLLECTION}?watch=1&timeoutSeconds=1&resourceVersion=${version}`);
    expect(told.text.match(/"DELETED"/g)).toHaveLength(3);
  });

  test("B-FS-09: a watch begins with all matching objects, however many there are", async () => {
    for (let n = 0; n < 25; n++)
      await make(`w${n}`, { metadata: { name: `w${n}`, labels: { odd: String(n % 2 === 1) } } });
    const all = await send("GET", `${COLLECTION}?watch=1&timeoutSeconds=1`);
    expect(all.text.match(/"ADDED"/g)).toHaveLength(25);
    const odd = await send("GET", `${COLLECTION}?watch=1&timeoutSeconds=1&labelSelector=odd=true`);
    expect(odd.text.match(/"ADDED"/g)).toHaveLength(12);
  });

  test("B-FS-10: an object name cannot lead out of the folder, and errors name the resource", async () => {
    const refused = await make("../../a");
    expect(refused.status).toBe(422);
    expect(refused.at("message")).toContain(`Widget.${GROUP} "../../a" is invalid`);
    expect((await readdir(folder)).sort()).toEqual([".kubets"]);
  });

  test("B-FS-06: an edit of a file is an update of the user's own object", async () => {
    const made = await make("a", { spec: { size: 1 } });
    await writeFile(fileOf("a"), (await readFile(fileOf("a"), "utf8")).replace("size: 1", "size: 8"));
    await vi.waitFor(async () => expect((await send("GET", `${COLLECTION}/a`)).at("spec.size")).toBe(8), PATIENCE);
    expect((await send("GET", `${COLLECTION}/a`)).at("metadata.uid")).toBe(made.at("metadata.uid"));
  });

  test("B-VER-06: a file in an older version is rewritten by its first change, not by a read", async () => {
    await server.close();
    const [v1, v1beta1] = widgets.versions;
    if (v1 === undefined || v1beta1 === undefined) throw new Error("widgets have two versions");
    const { conversion: toNewer, ...older } = v1beta1;
    if (toNewer === undefined || !("toHub" in toNewer)) throw new Error("v1beta1 is converted");
    const conversion = { toHub: toNewer.fromHub, fromHub: toNewer.toHub };
    await start({ ...widgets, versions: [{ ...v1, conversion }, older], storageVersion: "v1beta1" });
    await make("a", { spec: { size: 5 } });
    await server.close();
    const stored = await readFile(fileOf("a"), "utf8");
    expect(stored).toContain(`apiVersion: ${GROUP}/v1beta1\n`);
    expect(stored).toContain("spec:\n  width: 5\n");
    await start();
    expect((await send("GET", `${COLLECTION}/a`)).at("spec.size")).toBe(5);
    expect(await readFile(fileOf("a"), "utf8")).toBe(stored);
    await send("PUT", `${COLLECTION}/a`, { metadata: { name: "a", labels: { a: "b" } }, spec: { size: 5 } });
    const rewritten = await readFile(fileOf("a"), "utf8");
    expect(rewritten).toContain(`apiVersion: ${GROUP}/v1\n`);
    expect(rewritten).toContain("spec:\n  size: 5\n");
  });

  test("B-FS-03: a file that a user wrote in an older version is served", async () => {
    await make("a", { spec: { size: 1 } });
    await server.close();
    const older = (await readFile(fileOf("a"), "utf8"))
      .replace(`${GROUP}/v1\n`, `${GROUP}/v1beta1\n`)
      .replace("\n  size: 1", "\n  width: 7");
    await writeFile(fileOf("a"), older);
    await start();
    expect((await send("GET", `${COLLECTION}/a`)).at("spec.size")).toBe(7);
    const patched = await call(
      server.transport(),
      "PATCH",
      `${COLLECTION}/a`,
      { metadata: { labels: { a: "b" } } },
      { type: "application/merge-patch+json" },
    );
    expect(patched.status).toBe(200);
    await vi.waitFor(async () => {
      const text = await readFile(fileOf("a"), "utf8");
      expect(text).toContain(`apiVersion: ${GROUP}/v1\n`);
      expect(text).toContain("size: 7");
    }, PATIENCE);
  });
});
