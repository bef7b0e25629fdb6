import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCluster } from "../../../src/cluster/index.js";
import { openSqliteKv } from "../../../src/server/storage/sqlite/sqlite-kv.js";
import { call } from "../../helpers/api-caller.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";
import { runCli } from "../../helpers/run-cli.js";

let folder: string;

const storage = (...args: string[]) => runCli(["storage", ...args], { program: "kubets", cwd: folder });
const put = async (objects: Readonly<Record<string, unknown>>): Promise<void> => {
  const kv = await openSqliteKv({ directory: join(folder, "data") });
  for (const [key, value] of Object.entries(objects)) {
    await kv.create(key, Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
  }
  await kv.close();
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "storage-"));
  await using server = await startCluster({
    ...quietCluster,
    port: false,
    nodes: 0,
    storage: "disk",
    dataDir: join(folder, "data"),
  });
  const settings = { metadata: { name: "settings" }, data: { colour: "red" } };
  const { status } = await call(server.transport(), "POST", "/api/v1/namespaces/default/configmaps", settings);
  expect(status).toBe(201);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("kubets storage list", () => {
  test("prints keys with revisions, sizes and media types", async () => {
    const { code, stdout, stderr } = await storage("list", "configmaps/default/s", "--from=disk:data");
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^KEY +REVISION +BYTES +MEDIA TYPE\n\/registry\/configmaps\/default\/settings +\d+ +\d+ +application\/json\n$/,
    );
  });

  test("accepts a data folder, and prints names, JSON and YAML", async () => {
    const names = await storage("list", "/registry/configmaps/default/s", "--from=data", "-oname");
    expect(names.stdout).toBe("/registry/configmaps/default/settings\n");
    const listed = JSON.parse((await storage("list", "configmaps/default/s", "--from=data", "-ojson")).stdout) as {
      revision: number;
      keys: object[];
    };
    expect(listed.keys).toEqual([
      {
        key: "/registry/configmaps/default/settings",
        createRevision: expect.any(Number),
        revision: expect.any(Number),
        bytes: expect.any(Number),
        mediaType: "application/json",
      },
    ]);
    const yaml = await storage("list", "configmaps/default/s", "--from=data", "-oyaml");
    expect(yaml.stdout).toMatch(/^keys:\n- bytes: \d+\n {2}createRevision: \d+\n {2}key: \/registry/);
  });

  test("uses a storage only while no other process does", async () => {
    await using _ = await startCluster({
      ...quietCluster,
      port: false,
      nodes: 0,
      storage: "disk",
      dataDir: join(folder, "data"),
    });
    const { code, stderr } = await storage("list", "--from=disk:data");
    expect(stderr).toBe(
      `error: data directory ${join(folder, "data")} is in use by process ${process.pid}; stop that, or use another folder\n`,
    );
    expect(code).toBe(1);
  });
});

describe("kubets storage get", () => {
  test("prints the object as it is stored", async () => {
    const { stdout } = await storage("get", "configmaps/default/settings", "--from=disk:data");
    expect(stdout).toMatch(/^apiVersion: v1\ndata:\n {2}colour: red\nkind: ConfigMap\nmetadata:\n/);
    expect(stdout).not.toContain("resourceVersion");
    const json = await storage("get", "/registry/configmaps/default/settings", "--from=disk:data", "-ojson");
    expect(JSON.parse(json.stdout)).toMatchObject({ kind: "ConfigMap", data: { colour: "red" } });
  });

  test("reports a key that does not exist", async () => {
    const { code, stderr } = await storage("get", "configmaps/default/none", "--from=disk:data");
    expect(stderr).toBe(`error: there is no key /registry/configmaps/default/none in disk:${join(folder, "data")}\n`);
    expect(code).toBe(1);
  });
});

describe("kubets storage check", () => {
  test("finds no damage in what a server wrote", async () => {
    const { code, stdout, stderr } = await storage("check", "--from=disk:data");
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^disk:\S+ has no damage: \d+ keys, \d+ \w+, at revision \d+\n$/);
    expect(code).toBe(0);
  });

  test("names every key whose value is damaged or belongs to another object", async () => {
    const meta = (name: string, namespace?: string) => ({ metadata: { name, ...(namespace && { namespace }) } });
    await put({
      "/registry/pods/default/half": '{"kind":"Pod","apiVersion":"v1","metadata":{"na',
      "/registry/pods/default/text": "hello",
      "/registry/pods/default/other": { kind: "Pod", apiVersion: "v1", ...meta("moved", "default") },
      "/registry/pods/default/typed": {
        kind: "Pod",
        apiVersion: "v1",
        ...meta("typed", "default"),
        spec: { hostPID: 3 },
      },
      "/registry/a.example.com/widgets/x": { kind: "Widget", apiVersion: "a.example.com/v1", ...meta("x", "shop") },
      "/registry/a.example.com/widgets/shop/x": {
        kind: "Widget",
        apiVersion: "a.example.com/v1",
        ...meta("x", "shop"),
      },
    });
    const { code, stdout, stderr } = await storage("check", "--from=disk:data");
    expect(stderr.split("\n")).toEqual([
      "error: /registry/a.example.com/widgets/x: the object belongs under /registry/a.example.com/PLURAL/shop/x",
      "error: /registry/pods/default/half: the value is JSON that cannot be read: unexpected end of JSON input",
      "error: /registry/pods/default/other: the object belongs under /registry/pods/default/moved",
      'error: /registry/pods/default/text: the value is no object: it is 5 bytes that begin with "hello"',
      expect.stringContaining(
        "error: /registry/pods/default/typed: json: cannot unmarshal number into Go struct field",
      ),
      "",
    ]);
    expect(stdout).toContain(" has 5 faulty keys: ");
    expect(code).toBe(1);
  });
});

describe("kubets storage refuses", () => {
  test.each<[string, string[], string]>([
    ["no storage", ["list"], "error: name the storage: --from=disk:FOLDER, for instance\n"],
    [
      "memory",
      ["list", "--from=memory"],
      "error: the storage memory ends with its server: no other process can read it\n",
    ],
    ["a disk without a folder", ["check", "--from=disk"], "error: the storage disk needs its folder: disk:FOLDER\n"],
    ["etcd without servers", ["list", "--from=etcd"], "error: the storage etcd needs --etcd-servers\n"],
    ["flags of etcd", ["list", "--from=data", "--etcd-prefix=/a"], "error: --etcd-prefix needs a storage that is etcd"],
    [
      "an unknown scheme",
      ["list", "--from=odd:x"],
      "error: unknown storage type: odd; use one of memory, disk, etcd, ",
    ],
    ["a folder that is not there", ["list", "--from=none"], 'error: "none" names no storage: use disk:FOLDER, etcd, '],
    ["a folder without a database", ["list", "--from=disk:none"], "error: there is no database in data directory "],
    ["a cluster that is not there", ["list", "--from=cluster:none"], 'error: there is no cluster named "none"; '],
    [
      "a format",
      ["list", "--from=data", "-owide"],
      'error: invalid value "wide" for --output: use name, json or yaml\n',
    ],
    ["two keys", ["get", "a", "b", "--from=data"], "error: give one key, not 2\n"],
  ])("%s", async (_, args, message) => {
    const { code, stdout, stderr } = await storage(...args);
    expect(stderr).toContain(message);
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });
});
