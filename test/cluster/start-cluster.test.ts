import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:http2";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Cluster, type ClusterOptions, startCluster } from "../../src/cluster/index.js";
import { object, objects } from "../../src/machinery/meta/access.js";
import { call } from "../helpers/api-caller.js";

const running: Cluster[] = [];

async function start(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = await startCluster(options);
  running.push(cluster);
  return cluster;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((cluster) => cluster.close()));
});

interface Credentials {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cert?: string;
  readonly key?: string;
}

function overHttp1(cluster: Cluster, path: string, credentials: Credentials): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${cluster.url}${path}`,
      { ca: cluster.caCertificate, agent: false, ...credentials },
      (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
      },
    );
    outgoing.on("error", reject).end();
  });
}

function overHttp2(cluster: Cluster, path: string, { headers, ...tls }: Credentials): Promise<number> {
  return new Promise((resolve, reject) => {
    const session = connect(cluster.url, { ca: cluster.caCertificate, ...tls });
    session.on("error", reject);
    const stream = session.request({ ":path": path, ...headers });
    let status = 0;
    stream.on("response", (head) => (status = head[":status"] ?? 0));
    stream.resume().on("end", () => {
      session.close();
      resolve(status);
    });
  });
}

function adminCertificate(cluster: Cluster): Credentials {
  const { users } = JSON.parse(cluster.kubeconfig()) as {
    users: { user: { "client-certificate-data": string; "client-key-data": string } }[];
  };
  const [user] = users.map((one) => one.user);
  const pem = (data = "") => Buffer.from(data, "base64").toString();
  return { cert: pem(user?.["client-certificate-data"]), key: pem(user?.["client-key-data"]) };
}

describe("a request to a cluster", () => {
  test("may carry a token or the admin's certificate, over HTTP/1.1 and HTTP/2; anonymous requests may only probe", async () => {
    const cluster = await start();
    const token = { headers: { authorization: `Bearer ${cluster.token}` } };
    const wrong = { headers: { authorization: "Bearer nonsense" } };
    for (const ask of [overHttp1, overHttp2]) {
      expect(await ask(cluster, "/api/v1/namespaces", token)).toBe(200);
      expect(await ask(cluster, "/api/v1/namespaces", adminCertificate(cluster))).toBe(200);
      expect(await ask(cluster, "/api/v1/namespaces", {})).toBe(403);
      expect(await ask(cluster, "/api/v1/namespaces", wrong)).toBe(401);
      expect(await ask(cluster, "/readyz", {})).toBe(200);
    }
  });

  test("in the same process is the administrator's, unless it carries other credentials", async () => {
    const cluster = await start({ port: false });
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const own = await call(cluster.transport(), "POST", path, review);
    expect(own.at("status.userInfo.username")).toBe("kubernetes-admin");
    const headers = { "impersonate-user": "jane", "impersonate-group": "dev" };
    const other = await call(cluster.transport(), "POST", path, review, { headers });
    expect(other.at("status.userInfo")).toEqual({ username: "jane", groups: ["dev", "system:authenticated"] });
    const denied = await call(cluster.transport(), "GET", "/api", undefined, {
      headers: { authorization: "Bearer x" },
    });
    expect(denied.status).toBe(401);
  });
});

describe("the objects that a cluster creates itself", () => {
  test("include the priority level of each flow schema", async () => {
    const cluster = await start({ port: false });
    const schemas = await call(cluster.transport(), "GET", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas");
    const dangling = objects(schemas.at("items")).map(({ status }) => objects(object(status).conditions)[0]?.status);
    expect(new Set(dangling)).toEqual(new Set(["False"]));
  });

  test("include, in every namespace as soon as it is created, a default ServiceAccount and the root CA", async () => {
    const cluster = await start({ port: false });
    const api = cluster.transport();
    for (const name of ["default", "kube-node-lease", "kube-public", "kube-system"]) {
      expect((await call(api, "GET", `/api/v1/namespaces/${name}/serviceaccounts/default`)).status).toBe(200);
    }
    await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "fresh" } });
    expect((await call(api, "GET", "/api/v1/namespaces/fresh/serviceaccounts/default")).status).toBe(200);
    const map = await call(api, "GET", "/api/v1/namespaces/fresh/configmaps/kube-root-ca.crt");
    expect(map.at("data")).toEqual({ "ca.crt": cluster.caCertificate });
    expect((await call(api, "GET", "/api/v1/namespaces/default/services/kubernetes")).at("spec.clusterIP")).toBe(
      "10.96.0.1",
    );
  });

  test("are created again when a user deletes them", async () => {
    const cluster = await start({ port: false });
    const api = cluster.transport();
    for (const path of ["services/kubernetes", "serviceaccounts/default", "configmaps/kube-root-ca.crt"]) {
      const url = `/api/v1/namespaces/default/${path}`;
      const before = await call(api, "GET", url);
      expect((await call(api, "DELETE", url)).status).toBe(200);
      const uid = async () => (await call(api, "GET", url)).at("metadata.uid");
      await expect.poll(uid).toBeTypeOf("string");
      const after = await call(api, "GET", url);
      expect(after.at("metadata.uid")).not.toBe(before.at("metadata.uid"));
      expect(after.at("spec.clusterIP")).toBe(before.at("spec.clusterIP"));
    }
  });

  test("are deleted with their namespace, protected claims included", async () => {
    const cluster = await start({ port: false });
    const api = cluster.transport();
    await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
    await call(api, "POST", "/api/v1/namespaces/shop/persistentvolumeclaims", {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    const deleted = await call(api, "DELETE", "/api/v1/namespaces/shop");
    expect(deleted.at("status.phase")).toBe("Terminating");
    const refused = await call(api, "POST", "/api/v1/namespaces/shop/configmaps", { metadata: { name: "late" } });
    expect([403, 404]).toContain(refused.status);
    await expect.poll(async () => (await call(api, "GET", "/api/v1/namespaces/shop")).status).toBe(404);
    expect((await call(api, "GET", "/api/v1/namespaces/shop/persistentvolumeclaims")).at("items")).toEqual([]);
  });
});

describe("the option controllers of startCluster()", () => {
  const ACCOUNT = "/api/v1/namespaces/bare/serviceaccounts/default";
  const ROOT_CA = "/api/v1/namespaces/bare/configmaps/kube-root-ca.crt";
  const made = async (controllers: ClusterOptions["controllers"]) => {
    const api = (await start({ port: false, ...(controllers !== undefined && { controllers }) })).transport();
    await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "bare" } });
    const status = async (path: string) => (await call(api, "GET", path)).status;
    return { api, account: await status(ACCOUNT), rootCa: await status(ROOT_CA) };
  };

  test("with false runs no controllers, but the cluster's own objects are still created again", async () => {
    const { api, account, rootCa } = await made(false);
    expect([account, rootCa]).toEqual([404, 404]);
    const CONFIG_MAPS = "/api/v1/namespaces/bare/configmaps";
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "none" };
    await call(api, "POST", CONFIG_MAPS, { metadata: { name: "orphan", ownerReferences: [owner] } });
    await call(api, "DELETE", "/api/v1/namespaces/bare");
    const service = { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } };
    const created = await call(api, "POST", "/api/v1/namespaces/default/services", service);
    expect([created.status, created.at("spec.clusterIP")]).toEqual([201, expect.stringMatching(/^10\./)]);
    const KUBERNETES = "/api/v1/namespaces/default/services/kubernetes";
    await call(api, "DELETE", KUBERNETES);
    await expect.poll(async () => (await call(api, "GET", KUBERNETES)).status).toBe(200);
    // By now a garbage collector would have taken the orphan, and a namespace controller the namespace with it.
    expect((await call(api, "GET", `${CONFIG_MAPS}/orphan`)).status).toBe(200);
    expect((await call(api, "GET", "/api/v1/namespaces/bare")).at("status.phase")).toBe("Terminating");
  });

  test("with a list runs the controllers that it names, by their old names too, or all but some", async () => {
    expect(await made(["serviceaccount"])).toMatchObject({ account: 200, rootCa: 404 });
    expect(await made(["*", "-serviceaccount-controller"])).toMatchObject({ account: 404, rootCa: 200 });
    expect(await made(undefined)).toMatchObject({ account: 200, rootCa: 200 });
  });

  test("refuses an unknown controller before anything is created", async () => {
    const folder = join(tmpdir(), `kubets-controllers-${process.pid}`);
    await expect(startCluster({ storage: "disk", dataDir: folder, controllers: ["*", "-nope"] })).rejects.toThrow(
      new Error('"nope" is not in the list of known controllers'),
    );
    expect(existsSync(folder)).toBe(false);
  });
});

test("a cluster on disk has its objects and its certificates after a restart", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kubets-cluster-"));
  try {
    const first = await startCluster({ storage: "disk", dataDir: folder, port: false });
    await call(first.transport(), "POST", "/api/v1/namespaces", { metadata: { name: "kept" } });
    await first.close();
    const second = await start({ storage: "disk", dataDir: folder, port: false });
    expect((await call(second.transport(), "GET", "/api/v1/namespaces/kept")).status).toBe(200);
    expect([second.caCertificate, second.token]).toEqual([first.caCertificate, first.token]);
    await second.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.each([
  [-1, "--max-object-bytes can not be negative value"],
  [1.5, "maxObjectBytes is 1.5; give a number of bytes, or 0 for no limit"],
  [Number.NaN, "maxObjectBytes is NaN; give a number of bytes, or 0 for no limit"],
])("startCluster() refuses an object size limit of %s bytes before anything is opened", async (bytes, fault) => {
  await expect(startCluster({ port: false, maxObjectBytes: bytes })).rejects.toThrow(fault);
});
