import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Cluster, type ClusterOptions, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { etcdMissing, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { postgresMissing, startPostgres, tellPostgresMissing } from "../../helpers/postgres.js";

tellEtcdMissing("encryption on etcd");
tellPostgresMissing("encryption on PostgreSQL");

const SECRETS = "/api/v1/namespaces/default/secrets";
const aesgcm = { aesgcm: { keys: [{ name: "key1", secret: Buffer.alloc(32, 1).toString("base64") }] } };
const encryption = { resources: [{ resources: ["secrets"], providers: [aesgcm] }] };
const decryption = { resources: [{ resources: ["secrets"], providers: [{ identity: {} }, aesgcm] }] };

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "encryption-"))));
afterEach(() => rmSync(folder, { recursive: true }));

async function during(options: ClusterOptions, use: (cluster: Cluster) => Promise<void>): Promise<void> {
  const cluster = await startCluster({ controllers: false, scheduler: false, port: false, ...options });
  try {
    await use(cluster);
  } finally {
    await cluster.close();
  }
}

/** Encrypts, reads after a restart, decrypts by a write, and reads without a configuration. */
async function play(options: ClusterOptions): Promise<void> {
  const path = `${SECRETS}/a`;
  await during({ ...options, encryption }, async (cluster) => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, stringData: { text: "unreadable" } };
    expect((await call(cluster.transport(), "POST", SECRETS, secret)).status).toBe(201);
    const patch = { metadata: { labels: { a: "b" } } };
    await call(cluster.transport(), "PATCH", path, patch, { type: "application/merge-patch+json" });
    expect((await call(cluster.transport(), "GET", SECRETS)).at("items.0.metadata.labels.a")).toBe("b");
  });
  await during(options, async (cluster) => {
    expect((await call(cluster.transport(), "GET", path)).text).toContain("read encrypted data");
  });
  await during({ ...options, encryption: decryption }, async (cluster) => {
    const read = await call(cluster.transport(), "GET", path);
    expect(read.at("metadata.labels.a")).toBe("b");
    expect((await call(cluster.transport(), "PUT", path, read.text)).status).toBe(200);
  });
  await during(options, async (cluster) => {
    expect((await call(cluster.transport(), "GET", path)).at("metadata.labels.a")).toBe("b");
  });
}

describe("C-STO-07: a server encrypts objects in", () => {
  test("memory storage", async () => {
    await during({ encryption }, async (cluster) => {
      expect((await call(cluster.transport(), "GET", SECRETS)).status).toBe(200);
    });
  });

  test("storage on disk", () => play({ storage: "disk", dataDir: join(folder, "disk") }));

  test("storage in files, of which none contains an encrypted object in clear", async () => {
    const directory = join(folder, "files");
    const storage = `files:${directory}` as const;
    await during({ storage, encryption }, async (cluster) => {
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } };
      expect((await call(cluster.transport(), "POST", SECRETS, secret)).status).toBe(201);
      const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
      expect(names.filter((name) => name.includes("secret"))).toEqual([]);
    });
    await play({ storage: `files:${join(folder, "others")}` });
  });

  test.skipIf(etcdMissing !== undefined)("etcd, where the etcd key is authenticated with the value", async () => {
    const etcd = await startEtcd();
    try {
      await play({ storage: "etcd", etcd: { servers: [etcd.endpoint], prefix: "/elsewhere" } });
    } finally {
      await etcd.dispose();
    }
  });

  test.skipIf(postgresMissing !== undefined)("PostgreSQL", async () => {
    const postgres = await startPostgres(["fsync=off"]);
    try {
      await play({ storage: await postgres.database("encrypted") });
    } finally {
      await postgres.dispose();
    }
  });
});
