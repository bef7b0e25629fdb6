import { afterAll, beforeAll, expect, test } from "vitest";
import { createTransport } from "../../../src/client/transport/create-transport.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { asUser } from "../../helpers/as-user.js";
import { type EtcdServer, etcdMissing, startEtcd } from "../../helpers/etcd.js";
import { kubernetesMissing, type RealApiServer, startKubernetes } from "../../helpers/kubernetes-1.20.js";

// What is not served is answered by a kube-apiserver 1.20 and by this project's server alike: with a Status, or with a line of text.
const missing = etcdMissing ?? kubernetesMissing;
if (missing !== undefined) process.stdout.write(`unknown paths beside kube-apiserver 1.20 are skipped: ${missing}\n`);

const PATHS = [
  "/nope",
  "/nope/",
  "/api/v2",
  "/api/v2/pods",
  "/api/v2/namespaces/default/pods/p",
  "/api/v1/nope",
  "/api/v1/nope/n",
  "/api/v1/namespaces/default/nope",
  "/api/v1/namespaces/default/nope/n",
  "/api/v1/namespaces/default/nope/n/status",
  "/api/v1/namespaces/default/pods/p/nope",
  "/api/v1/namespaces/default/pods/p/status/more",
  "/api/v1/namespaces/default/nodes/n",
  "/api/v1/watch/nope",
  "/apis/nope.example.com",
  "/apis/nope.example.com/",
  "/apis/nope.example.com/v1",
  "/apis/nope.example.com/v1/",
  "/apis/nope.example.com/v1/things",
  "/apis/nope.example.com/v1/namespaces/default/things/t",
  "/apis/apps/v9",
  "/apis/apps/v9/deployments",
  "/apis/apps/v1/nope",
  "/apis/apps/v1/namespaces/default/nope/n",
  "/apis/apps/v1/namespaces/default/deployments/d/nope",
  "/healthz/nope",
  "/version/nope",
  "/openapi/nope",
];

const PLAIN = "text/plain; charset=utf-8";

let etcd: EtcdServer;
let real: RealApiServer;
let cluster: Cluster;
let [stranger, ours] = [] as unknown as [Transport, Transport];
beforeAll(async () => {
  if (missing !== undefined) return;
  etcd = await startEtcd();
  [real, cluster] = await Promise.all([
    startKubernetes({ etcd: etcd.endpoint }),
    startCluster({ controllers: false, scheduler: false }),
  ]);
  const address = (kubeconfig: string): string =>
    String((JSON.parse(kubeconfig) as { clusters: { cluster: { server: string } }[] }).clusters[0]?.cluster.server);
  const nobody = (server: string): Transport => createTransport({ server, tls: { insecureSkipVerify: true } });
  stranger = nobody(address(real.kubeconfig()));
  ours = nobody(address(cluster.kubeconfig()));
});
afterAll(async () => {
  await Promise.all([stranger?.close(), ours?.close(), cluster?.close()]);
  await real?.stop();
  await etcd?.dispose();
});

type Ask = (path: string, method?: string) => ReturnType<typeof call>;

async function shown(ask: Ask, path: string, method: string): Promise<unknown> {
  const { status, headers, text } = await ask(path, method);
  // Since 1.23 kube-apiserver answers with a line of text where it answered with the index of apiextensions' server.
  if (status === 404 && text.startsWith('{\n  "paths"')) return { status, type: PLAIN, text: "404 page not found\n" };
  return { status, type: headers["content-type"], text };
}

const askers: readonly (readonly [name: string, theirs: () => Ask, own: () => Ask])[] = [
  [
    "an administrator",
    () =>
      (path, method = "GET") =>
        call(real.transport, method, path),
    () =>
      (path, method = "GET") =>
        call(cluster.transport(), method, path),
  ],
  [
    "a user without rights",
    () =>
      (path, method = "GET") =>
        asUser(real.transport, "tom")(method, path),
    () =>
      (path, method = "GET") =>
        asUser(cluster.transport(), "tom")(method, path),
  ],
  [
    "nobody in particular",
    () =>
      (path, method = "GET") =>
        call(stranger, method, path),
    () =>
      (path, method = "GET") =>
        call(ours, method, path),
  ],
];

test
  .skipIf(missing !== undefined)
  .each(
    askers.flatMap(([who, theirs, own]) =>
      ["GET", "POST", "DELETE"].map((method) => [`${method} of ${who}`, method, theirs, own] as const),
    ),
  )("GEN-API-1: kubets answers an unknown path as kube-apiserver 1.20 does: %s", async (_, method, theirs, own) => {
  const [wanted, found]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
  for (const path of PATHS) {
    wanted[path] = await shown(theirs(), path, method);
    found[path] = await shown(own(), path, method);
  }
  expect(found).toEqual(wanted);
});
