import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCluster } from "../../../src/cluster/index.js";
import { openEtcdKv } from "../../../src/server/storage/etcd/etcd-kv.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { type EtcdServer, etcdMissing, startEtcd } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";
import { kubernetesMissing, startKubernetes } from "../../helpers/kubernetes-1.20.js";

// What a kube-apiserver 1.20 encrypts, kubets reads, and the reverse, in one etcd that both use at the same time.
const missing = etcdMissing ?? kubernetesMissing;
if (missing !== undefined) process.stdout.write(`encryption beside kube-apiserver 1.20 is skipped: ${missing}\n`);

const PATIENCE = 120_000;
const keys = { keys: [{ name: "key1", secret: Buffer.alloc(32, 7).toString("base64") }] };

type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

const NAMESPACE = "/api/v1/namespaces/default";
const objectOf = (resource: string, name: string) => ({
  apiVersion: "v1",
  kind: resource === "secrets" ? "Secret" : "ConfigMap",
  metadata: { name, labels: { of: name } },
  data: { text: resource === "secrets" ? Buffer.from(`secret of ${name}`).toString("base64") : `text of ${name}` },
});

describe.skipIf(missing !== undefined)("UND-6, C-STO-07: kube-apiserver 1.20 and kubets read each other's", () => {
  let etcd: EtcdServer;
  let folder: string;

  beforeAll(async () => {
    etcd = await startEtcd();
    folder = mkdtempSync(join(tmpdir(), "kubets-encryption-"));
  }, PATIENCE);
  afterAll(async () => {
    await etcd?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ["identity", { identity: {} }, "k8s\0", "application/vnd.kubernetes.protobuf"],
    ["aescbc", { aescbc: keys }, "k8s:enc:aescbc:v1:key1:", "application/vnd.kubernetes.protobuf"],
    ["aesgcm", { aesgcm: keys }, "k8s:enc:aesgcm:v1:key1:", "application/json"],
    ["secretbox", { secretbox: keys }, "k8s:enc:secretbox:v1:key1:", "application/vnd.kubernetes.protobuf"],
  ] as const)(
    "values, encrypted by %s",
    async (name, provider, prefix, storageMediaType) => {
      const resources = ["secrets", "configmaps"];
      const providers = [provider, ...(name === "identity" ? [] : [{ identity: {} }])];
      const file = join(folder, `${name}.json`);
      writeFileSync(
        file,
        JSON.stringify({
          kind: "EncryptionConfiguration",
          apiVersion: "apiserver.config.k8s.io/v1",
          resources: [{ resources, providers }],
        }),
      );
      const root = `/${name}/registry`;
      const more = [`--encryption-provider-config=${file}`, `--etcd-prefix=${root}`];
      const real = await startKubernetes({ etcd: etcd.endpoint, more });
      await eventually(async () => expect((await real.call("GET", NAMESPACE)).status).toBe(200), PATIENCE);
      const ours = await startCluster({
        storage: "etcd",
        etcd: { servers: [etcd.endpoint], prefix: root },
        storageMediaType,
        encryption: file,
        controllers: false,
        scheduler: false,
        port: false,
      });
      const store = await openEtcdKv({ endpoints: [etcd.endpoint], root: "", prefix: "" });
      const callOurs: Call = (...given) => call(ours.transport(), ...given);
      try {
        for (const [writer, reader, object] of [
          [real.call, callOurs, "by-real"],
          [callOurs, real.call, "by-ours"],
        ] as const) {
          for (const resource of resources) {
            const made = await writer("POST", `${NAMESPACE}/${resource}`, objectOf(resource, object));
            expect([made.status, made.text]).toEqual([201, expect.any(String)]);
            const { kv } = await store.get(`${root}/${resource}/default/${object}`);
            const stored = Buffer.from(kv?.value ?? []).toString("latin1");
            expect(stored.slice(0, prefix.length)).toBe(prefix);
            const read = await reader("GET", `${NAMESPACE}/${resource}/${object}`);
            expect([read.status, read.at("data")]).toEqual([200, objectOf(resource, object).data]);
            const listed = await reader("GET", `${NAMESPACE}/${resource}?labelSelector=of%3D${object}`);
            expect(listed.at("items.0.data")).toEqual(objectOf(resource, object).data);
            const changed = { ...objectOf(resource, object), metadata: { name: object, labels: { of: "both" } } };
            expect((await reader("PUT", `${NAMESPACE}/${resource}/${object}`, changed)).status).toBe(200);
            const again = await writer("GET", `${NAMESPACE}/${resource}/${object}`);
            expect(again.at("metadata.labels.of")).toBe("both");
          }
        }
      } finally {
        await store.close();
        await ours.close();
        await real.stop();
      }
    },
    PATIENCE,
  );
});
