import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type ClusterOptions, startCluster } from "../../../src/cluster/index.js";
import { openKv, type StorageOptions } from "../../../src/cluster/open-storage.js";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemTimers } from "../../../src/base/time/timers.js";
import type { KeyValue, Kv } from "../../../src/server/storage/kv.js";
import { call } from "../../helpers/api-caller.js";
import { type EtcdServer, etcdMissing, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { type PostgresServer, postgresMissing, startPostgres, tellPostgresMissing } from "../../helpers/postgres.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";
import { runCli } from "../../helpers/run-cli.js";

tellEtcdMissing("migration from and to etcd");
tellPostgresMissing("migration from and to PostgreSQL");

type Kind = "disk" | "files" | "etcd" | "postgres";

/** A storage as the command line names it, and as a cluster is given it. */
interface Place {
  readonly flag: string;
  readonly more: readonly string[];
  readonly options: Pick<StorageOptions, "storage" | "dataDir" | "etcd">;
}

const KINDS: readonly Kind[] = [
  "disk",
  "files",
  ...(etcdMissing === undefined ? (["etcd"] as const) : []),
  ...(postgresMissing === undefined ? (["postgres"] as const) : []),
];

let folder: string;
let etcd: EtcdServer | undefined;
let postgres: PostgresServer | undefined;
/** A cluster's objects, on each kind of storage. */
const sources = new Map<Kind, Place>();
/** What they hold. */
const states = new Map<Kind, State>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "migrate-"));
  [etcd, postgres] = await Promise.all([
    etcdMissing === undefined ? startEtcd() : undefined,
    postgresMissing === undefined ? startPostgres() : undefined,
  ]);
  const disk = await newPlace("disk");
  await fill(disk);
  for (const kind of KINDS) {
    const place = kind === "disk" ? disk : await newPlace(kind);
    sources.set(kind, place);
    if (kind !== "disk") expect(await migrate(disk, place)).toMatchObject({ code: 0 });
    states.set(kind, await stateOf(place));
  }
}, 60_000);
afterAll(async () => {
  await Promise.all([etcd?.dispose(), postgres?.dispose()]);
  rmSync(folder, { recursive: true });
});

let places = 0;

async function newPlace(kind: Kind): Promise<Place> {
  const name = `p${places++}`;
  const dataDir = join(folder, name);
  switch (kind) {
    case "disk":
      return { flag: `disk:${dataDir}`, more: [], options: { storage: "disk", dataDir } };
    case "files":
      return {
        flag: `files:${dataDir}`,
        more: [],
        options: { storage: `files:${dataDir}`, dataDir: `${dataDir}-keys` },
      };
    case "etcd": {
      const endpoint = etcd?.endpoint ?? "";
      const connection = { servers: [endpoint], prefix: `/${name}` };
      return {
        flag: "etcd",
        more: [`--etcd-servers=${endpoint}`, `--etcd-prefix=/${name}`],
        options: { storage: "etcd", etcd: connection, dataDir },
      };
    }
    case "postgres": {
      const storage = (await postgres?.database(name)) ?? "postgres:";
      return { flag: storage, more: [], options: { storage, dataDir } };
    }
  }
}

const cluster = (options: ClusterOptions) => startCluster({ ...quietCluster, port: false, nodes: 0, ...options });

/** Objects of several resources, one of a custom kind, and an event, which expires. */
async function fill({ options }: Place): Promise<void> {
  await using server = await cluster(options);
  const post = async (path: string, object: object): Promise<void> => {
    const { status, text } = await call(server.transport(), "POST", path, object);
    if (status !== 201) throw new Error(text);
  };
  for (let n = 0; n < 20; n++) {
    const data = { text: "x".repeat(n * 100) };
    await post("/api/v1/namespaces/default/configmaps", { metadata: { name: `settings-${n}` }, data });
  }
  await call(server.transport(), "PATCH", "/api/v1/namespaces/default/configmaps/settings-3", '{"data":{"a":"b"}}', {
    type: "application/merge-patch+json",
  });
  await call(server.transport(), "DELETE", "/api/v1/namespaces/default/configmaps/settings-4");
  const involvedObject = { kind: "ConfigMap", name: "settings-1", namespace: "default" };
  await post("/api/v1/namespaces/default/events", { metadata: { name: "seen" }, involvedObject, reason: "Seen" });
}

const open = ({ options }: Place): Promise<Kv> => openKv(options, systemClock, systemTimers);

interface State {
  readonly keys: readonly KeyValue[];
  /** When keys expire. */
  readonly expiring: ReadonlyMap<string, number>;
}

async function stateOf(place: Place): Promise<State> {
  const kv = await open(place);
  try {
    const { items } = await kv.list("/registry/");
    const keys = items.map((item) => ({ ...item, value: Buffer.from(item.value) }));
    return { keys, expiring: new Map((await kv.expiring?.())?.map(({ key, at }) => [key, at])) };
  } finally {
    await kv.close();
  }
}

const keysOf = async (place: Place): Promise<readonly KeyValue[]> => (await stateOf(place)).keys;

const migrate = (from: Place, to: Place) =>
  runCli(["storage", "migrate", `--from=${from.flag}`, `--to=${to.flag}`, ...from.more, ...to.more], {
    program: "kubets",
    cwd: folder,
    env: { HOME: folder },
  });

const sourceOf = (kind: Kind): Place => {
  const place = sources.get(kind);
  if (place === undefined) throw new Error(`no source on ${kind}`);
  return place;
};

const stateBefore = (kind: Kind): State => {
  const state = states.get(kind);
  if (state === undefined) throw new Error(`no source on ${kind}`);
  return state;
};

/** The target of etcd cannot be another prefix of the same flags. */
const PAIRS = KINDS.flatMap((from) => KINDS.map((to): [Kind, Kind] => [from, to])).filter(
  ([from, to]) => from !== "etcd" || to !== "etcd",
);

const content = ({ key, value }: KeyValue) => [key, value];
/** What is in a list, by name, but for what the server's start writes: its certificates, its term as a leader. */
const items = (list: string): object[] =>
  (JSON.parse(list) as { items: { metadata: { name: string; resourceVersion: string } }[] }).items
    .filter(
      ({ metadata: { name } }) => !/^(?:kube-root-ca|extension-apiserver|kube-(?:controller|apiserver))/.test(name),
    )
    .map((item) => ({ ...item, metadata: { ...item.metadata, resourceVersion: "" } }));

describe("kubets storage migrate", () => {
  test.each(PAIRS)(
    "copies from %s to %s the values, their time to live, and where possible their revisions",
    async (from, to) => {
      const source = sourceOf(from);
      const target = await newPlace(to);
      const { keys: before, expiring } = stateBefore(from);
      const { code, stdout, stderr } = await migrate(source, target);
      const takesOver = to === "disk" || to === "postgres";
      const keepsRevisions = takesOver && from !== "files";
      const why = takesOver ? / has several keys at one revision\n$/ : / gives every write a revision of its own\n$/;
      if (keepsRevisions) expect(stderr).toBe("");
      else {
        expect(stderr).toMatch(/^Warning: resourceVersions are others now, and watchers have to list anew: /);
        expect(stderr).toMatch(why);
      }
      expect(stdout).toMatch(new RegExp(` copied: .* holds the same ${before.length} keys, `));
      expect(code).toBe(0);
      const { keys: after, expiring: kept } = await stateOf(target);
      if (keepsRevisions) expect(after).toEqual(before);
      else expect(after.map(content)).toEqual(before.map(content));
      expect([...kept.keys()].sort()).toEqual([...expiring.keys()].sort());
      for (const [key, at] of expiring) expect(Math.abs((kept.get(key) ?? 0) - at)).toBeLessThan(120_000);
      expect(expiring.has("/registry/events/default/seen")).toBe(true);
    },
  );

  test.each(KINDS)("lets a server on %s serve what the server on the source did", async (to) => {
    const source = sourceOf("disk");
    const target = await newPlace(to);
    expect(await migrate(source, target)).toMatchObject({ code: 0 });
    const copy = await newPlace("disk");
    expect(await migrate(source, copy)).toMatchObject({ code: 0 });
    const lists: object[][] = [];
    for (const { options } of [copy, target]) {
      await using server = await cluster(options);
      const paths = ["configmaps", "events", "namespaces", "serviceaccounts", "services"];
      const found = await Promise.all(paths.map((path) => call(server.transport(), "GET", `/api/v1/${path}`)));
      expect(found.map(({ status }) => status)).toEqual(paths.map(() => 200));
      lists.push(found.map(({ text }) => items(text)));
    }
    expect(lists[0]?.[0]).toHaveLength(19);
    expect(lists[1]).toEqual(lists[0]);
  });

  test("lets a watch continue in the new storage where revisions are kept", async () => {
    const source = sourceOf("disk");
    const last = Math.max(...(await keysOf(source)).map(({ revision }) => revision));
    const target = await newPlace("disk");
    await migrate(source, target);
    const kv = await open(target);
    onTestFinished(() => kv.close());
    const { revision } = await kv.create("/registry/configmaps/default/new", Buffer.from("{}"));
    expect(revision).toBeGreaterThan(last);
  });
});

test.each(KINDS)("leaves a source on %s unchanged", async (kind) => {
  const { keys, expiring } = await stateOf(sourceOf(kind));
  // After each start, files are at a later revision.
  if (kind === "files") expect(keys.map(content)).toEqual(stateBefore(kind).keys.map(content));
  else expect(keys).toEqual(stateBefore(kind).keys);
  expect(expiring.size).toBe(stateBefore(kind).expiring.size);
});

describe("kubets storage migrate refuses", () => {
  test("a target that holds other keys, and leaves it unchanged", async () => {
    const target = await newPlace("disk");
    const kv = await open(target);
    await kv.create("/registry/configmaps/default/mine", Buffer.from("{}"));
    await kv.close();
    const before = await keysOf(target);
    const { code, stderr } = await migrate(sourceOf("disk"), target);
    expect(stderr).toBe(
      `error: ${target.flag} is not empty: it holds 1 keys, such as /registry/configmaps/default/mine; use an empty storage\n`,
    );
    expect(code).toBe(1);
    expect(await keysOf(target)).toEqual(before);
  });

  test("a source that a running server uses", async () => {
    const source = await newPlace("disk");
    await using _ = await cluster(source.options);
    const { code, stderr } = await migrate(source, await newPlace("disk"));
    expect(stderr).toContain(` is in use by process ${process.pid}; stop that, or use another folder\n`);
    expect(code).toBe(1);
  });

  test("a source that does not exist, and creates none", async () => {
    const missing = await newPlace("disk");
    expect(await migrate(missing, await newPlace("disk"))).toMatchObject({
      code: 1,
      stderr: `error: there is no database in data directory ${missing.options.dataDir}\n`,
    });
    if (postgresMissing !== undefined) return;
    const tables = await newPlace("postgres");
    for (let times = 0; times < 2; times++) {
      const { stderr } = await migrate(tables, await newPlace("disk"));
      expect(stderr).toContain("the database has no tables of kubets");
    }
  });

  test("the same storage as source and target", async () => {
    const { flag } = sourceOf("disk");
    const { stderr } = await migrate(sourceOf("disk"), sourceOf("disk"));
    expect(stderr).toBe(`error: ${flag} is both the source and the target\n`);
  });
});
