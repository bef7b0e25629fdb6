import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configFromText } from "../../../src/client/config/load-config.js";
import { kubernetesClient, type KubernetesClient } from "../../../src/client/dynamic/kubernetes-client.js";
import { openPortForward } from "../../../src/client/streaming/port-forward.js";
import { runRemoteCommand } from "../../../src/client/streaming/remote-command.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, type ClusterOptions, httpPort, localPort, startCluster } from "../../../src/cluster/index.js";
import { number, object, objects, text } from "../../../src/machinery/meta/access.js";
import { portForwardHeaders } from "../../../src/machinery/wire/streams/port-forward.js";
import { call } from "../../helpers/api-caller.js";
import { CONFIG_MAPS, configure } from "../../helpers/configured-webhooks.js";
import { type EtcdServer, etcdMissing, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";
import { kubeletCertificate } from "../../helpers/kubelet-certificate.js";
import { startWebhookServer, type WebhookServer } from "../../helpers/webhook-server.js";

tellEtcdMissing("pods of another server on one etcd");

const DEFAULT = "/api/v1/namespaces/default";
const PODS = `${DEFAULT}/pods`;
const MERGE = { type: "application/merge-patch+json" };
/** What every namespace and every new node needs, and nothing that makes pods. */
const CONTROLLERS = ["node-lifecycle-controller", "serviceaccount-controller"];

describe.skipIf(etcdMissing !== undefined)("a server, for pods on nodes of another server on its etcd,", () => {
  let etcd: EtcdServer;
  let folder: string;
  let webhooks: WebhookServer;
  let here: Cluster;
  let there: Cluster;
  /** Of `here`, as its administrator. */
  let api: Transport;
  let client: KubernetesClient;
  let podIp = "";

  const start = (serverName: string, options: ClusterOptions = {}): Promise<Cluster> =>
    startCluster({
      storage: "etcd",
      etcd: { servers: [etcd.endpoint] },
      dataDir: join(folder, "shared"),
      serverName,
      controllers: CONTROLLERS,
      scheduler: false,
      ...options,
    });

  async function create(path: string, body: object): Promise<void> {
    const { status, text: answer } = await call(api, "POST", path, body);
    expect(status, answer).toBe(201);
  }

  async function createPod(name: string, nodeName: string, container: object): Promise<void> {
    const spec = { nodeName, automountServiceAccountToken: false, containers: [{ name: "c", ...container }] };
    await create(PODS, { metadata: { name, labels: { app: name } }, spec });
    await eventually(async () =>
      expect((await call(api, "GET", `${PODS}/${name}`)).at("status.phase")).toBe("Running"),
    );
  }

  beforeAll(async () => {
    etcd = await startEtcd();
    folder = mkdtempSync(join(tmpdir(), "kubets-shared-pods-"));
    webhooks = await startWebhookServer({ names: ["web.default.svc"] });
    webhooks.on("/deny", ({ request: asked }) => ({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: asked["uid"], allowed: false, status: { message: "from a pod of the other server" } },
    }));
    here = await start("a", { nodes: 2 });
    const hello = httpPort((incoming, response) => response.end(`hello ${incoming.url ?? ""}`));
    const images = { web: { ports: { 8080: hello, 8443: localPort(webhooks.port) } } };
    there = await start("b", { nodes: [{ name: "b-node-1", images }, { name: "b-node-2" }] });
    api = here.transport();
    client = kubernetesClient(await configFromText(here.kubeconfig()));
    await eventually(async () =>
      expect((await call(api, "GET", `${DEFAULT}/serviceaccounts/default`)).status).toBe(200),
    );
    const ports = [{ containerPort: 8080 }, { containerPort: 8443 }];
    await createPod("web", "b-node-1", { image: "web", ports });
    const command = ["sh", "-c", "echo from the other server; cat"];
    await createPod("talks", "b-node-2", { image: "busybox", stdin: true, stdinOnce: true, command });
    podIp = text((await call(api, "GET", `${PODS}/web`)).at("status.podIP"));
  });
  afterAll(async () => {
    await client?.close();
    await Promise.all([here?.close(), there?.close()]);
    await webhooks?.[Symbol.asyncDispose]();
    await etcd?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What a command, or the program of the container, writes. */
  async function session(path: string, input: string, webSockets: boolean): Promise<string> {
    const chunks: Uint8Array[] = [];
    const streams = {
      stdin: (async function* () {
        yield Buffer.from(input);
      })(),
      stdout: async (chunk: Uint8Array) => void chunks.push(chunk),
      tty: false,
    };
    const query = "container=c&stdin=true&stdout=true";
    const wanted = { path: `${PODS}/${path}${query}`, method: "POST" } as const;
    await runRemoteCommand(client.rest, wanted, streams, { webSockets });
    return Buffer.concat(chunks).toString("utf8");
  }

  test("reads logs", async () => {
    const answer = await call(api, "GET", `${PODS}/talks/log`);
    expect([answer.status, answer.text]).toEqual([200, "from the other server\n"]);
  });

  test.each([true, false])("runs exec, with WebSockets: %s", async (webSockets) => {
    expect(await session("web/exec?command=cat&", "there and back", webSockets)).toBe("there and back");
  });

  test("attaches to a container's program", async () => {
    expect(await session("talks/attach?", "said to it", true)).toBe("said to it");
  });

  test.each([true, false])("forwards ports, with WebSockets: %s", async (webSockets) => {
    const connection = await openPortForward(client.rest, `${PODS}/web/portforward`, { webSockets });
    const error = await connection.open(portForwardHeaders("error", 8080, 1));
    const data = await connection.open(portForwardHeaders("data", 8080, 1));
    await data.write(Buffer.from("GET /forwarded HTTP/1.1\r\nhost: web\r\nconnection: close\r\n\r\n"));
    let answer = "";
    for await (const chunk of data) answer += Buffer.from(chunk).toString("utf8");
    expect(answer).toMatch(/hello \/forwarded/);
    error.destroy();
    await connection.close();
  });

  test("passes on the proxies of pods, services and nodes", async () => {
    const pod = await call(api, "GET", `${PODS}/web:8080/proxy/through`);
    expect([pod.status, pod.text]).toEqual([200, "hello /through"]);
    const [port] = [{ name: "http", port: 80, targetPort: 8080 }];
    await create(`${DEFAULT}/services`, { metadata: { name: "behind" }, spec: { ports: [port] } });
    await create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
      metadata: { name: "behind", labels: { "kubernetes.io/service-name": "behind" } },
      addressType: "IPv4",
      endpoints: [{ addresses: [podIp], targetRef: { kind: "Pod", name: "web", namespace: "default" } }],
      ports: [{ name: "http", port: 8080 }],
    });
    const service = await call(api, "GET", `${DEFAULT}/services/behind:http/proxy/by-service`);
    expect([service.status, service.text]).toEqual([200, "hello /by-service"]);
    const listed = await call(api, "GET", "/api/v1/nodes/b-node-1/proxy/pods");
    expect(objects(listed.at("items")).map(({ metadata }) => object(metadata).name)).toEqual(["web"]);
    const kubelet = (await call(api, "GET", "/api/v1/nodes/b-node-2")).at(
      "status.daemonEndpoints.kubeletEndpoint.Port",
    );
    const byPort = await call(api, "GET", `/api/v1/nodes/b-node-2:${number(kubelet)}/proxy/pods`);
    expect(objects(byPort.at("items")).map(({ metadata }) => object(metadata).name)).toEqual(["talks"]);
  });

  test("names the server and the request when the other server refuses the connection", async () => {
    const silent = await call(api, "GET", `${PODS}/web:81/proxy/`);
    expect([silent.status, silent.at("message")]).toEqual([
      503,
      `error trying to reach service: server "b" does not lead to ${podIp}:81: dial tcp ${podIp}:81: connect: connection refused`,
    ]);
  });

  test("shows the usage of all pods in top", async () => {
    const nodes = await call(api, "GET", "/apis/metrics.k8s.io/v1beta1/nodes");
    expect(objects(nodes.at("items")).map(({ metadata }) => object(metadata).name)).toEqual([
      "a-node-1",
      "a-node-2",
      "b-node-1",
      "b-node-2",
    ]);
    const pods = await call(api, "GET", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods?labelSelector=app%3Dweb");
    expect(objects(pods.at("items"))).toMatchObject([{ metadata: { name: "web" }, containers: [{ name: "c" }] }]);
  });

  test("calls a webhook whose Service leads to such a pod", async () => {
    const ports = [{ name: "https", port: 443, targetPort: 8443 }];
    await create(`${DEFAULT}/services`, { metadata: { name: "web" }, spec: { ports } });
    await create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
      metadata: { name: "web", labels: { "kubernetes.io/service-name": "web" } },
      addressType: "IPv4",
      endpoints: [{ addresses: [podIp] }],
      ports: [{ name: "https", port: 8443 }],
    });
    const service = { namespace: "default", name: "web", path: "/deny" };
    const clientConfig = { caBundle: webhooks.caBundle, service };
    await using _ = await configure(api, "validating", [
      { clientConfig, rules: [{ ...CONFIG_MAPS, operations: ["CREATE"] }], failurePolicy: "Fail" },
    ]);
    await eventually(async () => {
      const answer = await call(api, "POST", `${DEFAULT}/configmaps?dryRun=All`, { metadata: { name: "asked" } });
      expect(answer.at("message")).toContain("denied the request: from a pod of the other server");
    });
  });

  test("calls a webhook given by a pod's address or a node's name through the other server, or fails with the reason", async () => {
    const before = webhooks.calls.length;
    const rows: readonly (readonly [place: string, reason: string])[] = [
      // The pod's answer: TLS is spoken with it, by the caBundle of the webhook.
      [`${podIp}:8443`, `x509: cannot validate certificate for ${podIp} because it doesn't contain any IP SANs`],
      [`${podIp}:81`, `server "b" does not lead to ${podIp}:81: dial tcp ${podIp}:81: connect: connection refused`],
      ["b-node-2:8443", 'connect: connection refused: nothing listens on that port of node "b-node-2"'],
      ["B-Node-2.:8443", 'connect: connection refused: nothing listens on that port of node "b-node-2"'],
    ];
    for (const [place, reason] of rows) {
      const clientConfig = { url: `https://${place}/deny`, caBundle: webhooks.caBundle };
      await using _ = await configure(api, "validating", [
        { clientConfig, rules: [{ ...CONFIG_MAPS, operations: ["CREATE"] }], failurePolicy: "Fail" },
      ]);
      await eventually(async () => {
        const answer = await call(api, "POST", `${DEFAULT}/configmaps?dryRun=All`, { metadata: { name: "asked" } });
        expect(answer.at("message"), place).toContain(reason);
      });
    }
    expect(webhooks.calls).toHaveLength(before);
  });

  test("authorizes its user, while the other server refuses callers without credentials", async () => {
    await using jane = kubernetesClient(await configFromText(here.kubeconfig({ user: "jane" })));
    await expect(jane.rest.request({ method: "GET", path: `${PODS}/talks/log` })).rejects.toThrow(
      'pods "talks" is forbidden: User "jane" cannot get resource "pods/log"',
    );
    const node = await call(api, "GET", "/api/v1/nodes/b-node-1");
    const port = number(node.at("status.daemonEndpoints.kubeletEndpoint.Port"));
    expect(node.at("status.addresses.1")).toEqual({ type: "Hostname", address: "127.0.0.1" });
    const ask = async (method: string, path: string, key?: { cert: string; key: string }): Promise<string> => {
      const options = { host: "127.0.0.1", port, ca: here.caCertificate, servername: "b-node-1", ...key };
      const socket = connectTls(options);
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: b-node-1\r\nconnection: close\r\n\r\n`);
      let answer = "";
      for await (const chunk of socket) answer += String(chunk);
      return answer;
    };
    expect(await ask("CONNECT", `${podIp}:8080`)).toMatch(/^HTTP\/1\.1 401 /);
    expect(await ask("GET", "/pods")).toMatch(/^HTTP\/1\.1 401 /);
    /** The certificate and the key of a user in a kubeconfig. */
    const keyOf = (user?: { user: string }) => {
      const [found] = objects(object(JSON.parse(here.kubeconfig(user))).users);
      const shown = object(found?.user);
      const pem = (data: unknown): string => Buffer.from(text(data), "base64").toString("utf8");
      return { cert: pem(shown["client-certificate-data"]), key: pem(shown["client-key-data"]) };
    };
    expect(await ask("CONNECT", `${podIp}:8080`, keyOf({ user: "jane" }))).toMatch(/^HTTP\/1\.1 403 .*verb=create/s);
    // No way to anything but the node's own hosts.
    const elsewhere = new URL(there.url).host;
    expect(await ask("CONNECT", elsewhere, keyOf())).toMatch(/^HTTP\/1\.1 404 .* is no host of node "b-node-1"/s);
  });

  test("refuses a server at the node's address without the node's certificate", async () => {
    const asked: string[] = [];
    const impostor = createServer({ ...tlsOf(kubeletCertificate()), requestCert: true }, (incoming, response) => {
      asked.push(incoming.url ?? "");
      response.end("a secret of mine");
    });
    await new Promise<void>((resolve) => impostor.listen(0, "127.0.0.1", resolve));
    const path = "/api/v1/nodes/b-node-2/status";
    const before = (await call(api, "GET", path)).at("status.daemonEndpoints");
    const { port } = impostor.address() as AddressInfo;
    // Another server of the same authority is no such node either.
    for (const wrong of [port, Number(new URL(here.url).port)]) {
      const daemonEndpoints = { kubeletEndpoint: { Port: wrong } };
      expect((await call(api, "PATCH", path, { status: { daemonEndpoints } }, MERGE)).status).toBe(200);
      const answer = await call(api, "GET", `${PODS}/talks/log`);
      expect(answer.status).toBe(500);
      expect(answer.at("message")).toContain(
        'x509: what answers for node "b-node-2" has no certificate for it of this server\'s authority',
      );
    }
    expect(asked).toEqual([]);
    await call(api, "PATCH", path, { status: { daemonEndpoints: before } }, MERGE);
    expect((await call(api, "GET", `${PODS}/talks/log`)).status).toBe(200);
    impostor.closeAllConnections();
    impostor.close();
  });

  test("with another authority warns at its start, and answers 503 for the other's pods", async () => {
    const warnings: string[] = [];
    const dataDir = join(folder, "other");
    const onWarning = (line: string) => void warnings.push(line);
    await using other = await start("c", { nodes: 1, dataDir, onWarning });
    expect(new X509Certificate(other.caCertificate).fingerprint256).not.toBe(
      new X509Certificate(here.caCertificate).fingerprint256,
    );
    expect(warnings).toEqual([
      expect.stringMatching(/^server "a" on this storage has another certificate authority than this server, "c": /),
      expect.stringMatching(
        /^server "b" .* \(logs, exec, port-forward and proxies of those on b-node-1, b-node-2 are answered 503\)/,
      ),
    ]);
    const reason =
      'server "b", which runs node "b-node-1", has another certificate authority than server "c": start all servers of a storage with the same data folder, or with the same certificates';
    const log = await call(other.transport(), "GET", `${PODS}/web/log`);
    expect([log.status, log.at("message")]).toEqual([503, reason]);
    const proxied = await call(other.transport(), "GET", `${PODS}/web:8080/proxy/`);
    expect([proxied.status, proxied.at("message")]).toEqual([503, `error trying to reach service: ${reason}`]);
    const nodes = await call(other.transport(), "GET", "/apis/metrics.k8s.io/v1beta1/nodes");
    expect(objects(nodes.at("items")).map(({ metadata }) => object(metadata).name)).toEqual(["c-node-1"]);
  });

  test("reaches them also without a watch cache", async () => {
    await using direct = await start("e", { nodes: 0, watchCache: false });
    expect((await call(direct.transport(), "GET", `${PODS}/web:8080/proxy/direct`)).text).toBe("hello /direct");
    expect((await call(direct.transport(), "GET", "/api/v1/nodes/b-node-1/proxy/healthz")).text).toBe("ok");
    const none = await call(direct.transport(), "GET", "/api/v1/nodes/nothing/proxy/healthz");
    expect(none.status).toBe(404);
  });

  test("answers an error with the reason while the other server is stopped, and works again after its restart", async () => {
    const again = await start("d", { nodes: 1 });
    await createPod("moves", "d-node-1", { image: "busybox", command: ["sh", "-c", "echo up; sleep 1000"] });
    await again.close();
    const gone = await call(api, "GET", `${PODS}/moves/log`);
    expect([gone.status, gone.at("message")]).toEqual([500, expect.stringMatching(/connect: connection refused$/)]);
    await using _ = await start("d", { nodes: 1 });
    await eventually(async () => expect((await call(api, "GET", `${PODS}/moves/log`)).text).toBe("up\n"));
  });
});

const tlsOf = ({ certificate, key }: { readonly certificate: string; readonly key: string }) => ({
  cert: certificate,
  key,
});
