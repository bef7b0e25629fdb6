import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { EgressSelection } from "../../../src/cluster/egress/egress-configuration.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { issueCertificate, issuerOf, type KeyPair } from "../../../src/machinery/crypto/issue-certificate.js";
import { startServer } from "../../../src/cluster/start-server.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { makeApiserverFolder, neededFlags, startApiserver } from "../../helpers/apiserver-folder.js";
import { CONFIG_MAPS } from "../../helpers/configured-webhooks.js";
import { type ConnectProxy, startConnectProxy } from "../../helpers/connect-proxy.js";
import { etcdMissing, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { type FakeKubelet, startFakeKubelet } from "../../helpers/fake-kubelet.js";
import { type OidcIssuer, startOidcIssuer } from "../../helpers/oidc-issuer.js";
import { allow, startWebhookServer, type WebhookServer } from "../../helpers/webhook-server.js";
import { COLLECTION, widgets } from "../../server/api-registry/widgets.js";

// No name below .invalid has an address (RFC 6761), so that nothing but the proxy reaches it.

tellEtcdMissing("etcd behind a proxy");

const DAY = 86_400_000;
let folder: string;
const file = (name: string): string => join(folder, name);

function authority(commonName: string): KeyPair {
  return issueCertificate({ commonName, ...terms(), usage: "ca" });
}

let serial = 0;
const terms = () => ({
  notBefore: Date.now() - DAY,
  notAfter: Date.now() + DAY,
  serial: Buffer.alloc(16, ++serial),
});

const ca = authority("proxy-ca");
const proxyPair = issueCertificate(
  { commonName: "proxy", ...terms(), usage: "server", names: ["proxy.test"] },
  issuerOf(ca, "proxy-ca"),
);
const clientPair = issueCertificate(
  { commonName: "egress-client", ...terms(), usage: "client" },
  issuerOf(ca, "proxy-ca"),
);

const tlsConfig = () => ({
  caBundle: file("proxy-ca.crt"),
  clientCert: file("client.crt"),
  clientKey: file("client.key"),
  tlsServerName: "proxy.test",
});
const through = (name: string, transport: EgressSelection["connection"]["transport"]): EgressSelection => ({
  name,
  connection: { proxyProtocol: "HTTPConnect", ...(transport && { transport }) },
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-egress-"));
  await Promise.all([
    writeFile(file("proxy-ca.crt"), ca.certificate),
    writeFile(file("client.crt"), clientPair.certificate),
    writeFile(file("client.key"), clientPair.key),
  ]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const secureProxy = (): Promise<ConnectProxy> =>
  startConnectProxy({ tls: { ca: ca.certificate, cert: proxyPair.certificate, key: proxyPair.key } });

describe("a cluster that reaches kubelets, pods and webhooks through an egress proxy", () => {
  let cluster: Cluster;
  let inner: ConnectProxy;
  let outer: ConnectProxy;
  let kubelet: FakeKubelet;
  let webhook: WebhookServer;
  let issuer: OidcIssuer;
  const pod = createServer((request, response) => response.end(`pod answers ${request.url ?? ""}`));
  const api = (method: string, path: string, body?: object): Promise<Answer> =>
    call(cluster.transport(), method, path, body);

  beforeAll(async () => {
    await new Promise<void>((resolve) => pod.listen(0, "127.0.0.1", resolve));
    inner = await startConnectProxy({ socketPath: file("konnectivity.sock") });
    outer = await secureProxy();
    kubelet = await startFakeKubelet();
    webhook = await startWebhookServer({ names: ["hook.invalid", "hooks.default.svc"] });
    webhook.on("/validate", (review) => allow(review));
    const status = { authenticated: true, user: { username: "ann" } };
    const reviewed = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", status };
    webhook.on("/authenticate", () => reviewed);
    issuer = await startOidcIssuer(Date.now, "issuer.invalid");
    const { host: issuerPlace, port: issuerPort } = new URL(issuer.url);
    inner.lead(issuerPlace, Number(issuerPort));
    const identities = {
      url: issuer.url,
      audiences: ["kubets"],
      certificateAuthority: issuer.certificateAuthority,
      egressSelectorType: "cluster",
    };
    const configuration = {
      jwt: [{ issuer: identities, claimMappings: { username: { claim: "sub", prefix: "" } } }],
    };
    const kubeconfig = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name: "w",
          cluster: { server: "https://hook.invalid/authenticate", "certificate-authority-data": webhook.caBundle },
        },
      ],
      users: [{ name: "w", user: {} }],
      contexts: [{ name: "w", context: { cluster: "w", user: "w" } }],
      "current-context": "w",
    };
    await writeFile(file("webhook.json"), JSON.stringify(kubeconfig));
    cluster = await startCluster({
      port: false,
      controllers: false,
      scheduler: false,
      authentication: { configuration, webhook: { configFile: file("webhook.json"), version: "v1" } },
      egress: [
        through("cluster", { uds: { udsName: file("konnectivity.sock") } }),
        through("controlplane", { tcp: { url: `https://127.0.0.1:${outer.port}`, tlsConfig: tlsConfig() } }),
      ],
    });
    inner.lead(`kubelet.invalid:${kubelet.port}`, kubelet.port);
    inner.lead("10.99.0.7:8080", (pod.address() as AddressInfo).port);
    inner.lead("10.99.0.8:8443", webhook.port);
    outer.lead("hook.invalid:443", webhook.port);
    await api("POST", "/api/v1/nodes", { metadata: { name: "far" } });
    const node = JSON.parse((await api("GET", "/api/v1/nodes/far")).text) as object;
    await api("PUT", "/api/v1/nodes/far/status", {
      ...node,
      status: {
        addresses: [{ type: "Hostname", address: "kubelet.invalid" }],
        daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
      },
    });
    await api("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    const made = await api("POST", "/api/v1/namespaces/default/pods", {
      metadata: { name: "web" },
      spec: { nodeName: "far", containers: [{ name: "web", image: "web" }] },
    });
    await api("PUT", "/api/v1/namespaces/default/pods/web/status", {
      ...(JSON.parse(made.text) as object),
      status: { phase: "Running", podIP: "10.99.0.7", podIPs: [{ ip: "10.99.0.7" }] },
    });
  });

  afterAll(async () => {
    await cluster?.close();
    await Promise.all([inner, outer, webhook, issuer].map((one) => one?.[Symbol.asyncDispose]()));
    await kubelet?.close();
    await new Promise((resolve) => pod.close(resolve));
  });

  test("reads a container's log from the kubelet, over a Unix socket", async () => {
    const log = await api("GET", "/api/v1/namespaces/default/pods/web/log?container=web");
    expect([log.status, log.text]).toEqual([200, "web/web asked for <>\nsecond line\nthe last line"]);
    expect(inner.asked).toContain(`kubelet.invalid:${kubelet.port}`);
  });

  test("passes a request of a pod's proxy to the pod", async () => {
    const answer = await api("GET", "/api/v1/namespaces/default/pods/web:8080/proxy/menu");
    expect(answer.text).toBe("pod answers /menu");
  });

  test("reports a connection that the egress proxy refuses in kube-apiserver's words", async () => {
    const answer = await api("GET", "/api/v1/namespaces/default/pods/web:9/proxy/");
    expect(answer.status).toBe(503);
    expect(answer.at("message")).toBe(
      `error trying to reach service: proxy error from ${file("konnectivity.sock")} while dialing 10.99.0.7:9, code 403: 403 Forbidden`,
    );
  });

  test.each([
    ["nonsense\r\n\r\n", `malformed HTTP response "nonsense"`],
    ["HTTP/1.1 200", "EOF"],
  ])("reports an answer of the egress proxy that is not HTTP: %j", async (text, reason) => {
    inner.answer(text);
    const answer = await api("GET", "/api/v1/namespaces/default/pods/web:8080/proxy/");
    inner.answer(undefined);
    expect(answer.at("message")).toBe(
      `error trying to reach service: reading HTTP response from CONNECT to 10.99.0.7:8080 via proxy ${file("konnectivity.sock")} failed: ${reason}`,
    );
  });

  test("reports bytes that the egress proxy sends behind its answer", async () => {
    inner.answer("HTTP/1.1 200 OK\r\n\r\nearly");
    const answer = await api("GET", "/api/v1/namespaces/default/pods/web:8080/proxy/");
    inner.answer(undefined);
    expect(answer.at("message")).toContain(`unexpected 5 bytes of buffered data from CONNECT proxy`);
  });

  describe("an admission webhook behind an egress proxy", () => {
    const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    const withWebhook = async (clientConfig: object, use: () => Promise<void>): Promise<void> => {
      const one = {
        name: "one.webhook.test",
        rules: [CONFIG_MAPS],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      };
      const made = await api("POST", path, { metadata: { name: "hook" }, webhooks: [{ ...one, clientConfig }] });
      expect(made.status).toBe(201);
      await use();
      await api("DELETE", `${path}/hook`);
    };
    const configMap = { metadata: { generateName: "m-" } };

    beforeEach(() => void webhook.calls.splice(0));

    test("given by a URL is reached through the selection of the control plane, over TLS with the client's certificate", async () => {
      await withWebhook({ url: "https://hook.invalid/validate", caBundle: webhook.caBundle }, async () => {
        const answer = await api("POST", "/api/v1/namespaces/default/configmaps", configMap);
        expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
      });
      expect(webhook.calls).toHaveLength(1);
      expect(outer.asked).toContain("hook.invalid:443");
      expect([...outer.shown]).toEqual(["egress-client"]);
    });

    test("given by a Service is reached through the selection of the cluster", async () => {
      await api("POST", "/api/v1/namespaces/default/services", {
        metadata: { name: "hooks" },
        spec: { ports: [{ port: 443 }] },
      });
      await api("POST", "/api/v1/namespaces/default/endpoints", {
        metadata: { name: "hooks" },
        subsets: [{ addresses: [{ ip: "10.99.0.8" }], ports: [{ port: 8443 }] }],
      });
      const service = { namespace: "default", name: "hooks", path: "/validate" };
      await withWebhook({ service, caBundle: webhook.caBundle }, async () => {
        const answer = await api("POST", "/api/v1/namespaces/default/configmaps", configMap);
        expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
      });
      expect(inner.asked).toContain("10.99.0.8:8443");
    });
  });

  test("an OpenID Connect issuer is reached through the selection that its egressSelectorType names", async () => {
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: issuer.token() } };
    const answer = await api("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review);
    expect(answer.at("status.user.username")).toBe("alice");
    expect(inner.asked).toContain(new URL(issuer.url).host);
  });

  test("the webhook that reviews tokens is reached through the selection of the control plane", async () => {
    const before = outer.asked.length;
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "from-outside" } };
    const answer = await api("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review);
    expect(answer.at("status.user.username")).toBe("ann");
    expect(outer.asked.slice(before)).toEqual(["hook.invalid:443"]);
  });
});

describe.skipIf(etcdMissing !== undefined)("etcd behind an egress proxy", () => {
  const stored = async (servers: readonly string[], egress: readonly EgressSelection[], files: object = {}) => {
    const server = await startServer({
      port: false,
      storage: "etcd",
      etcd: { servers, ...files },
      resources: [widgets],
      egress,
    });
    const widget = { apiVersion: "stable.example.com/v1", kind: "Widget", metadata: { name: "one" } };
    const created = await call(server.transport(), "POST", COLLECTION, widget);
    const listed = await call(server.transport(), "GET", COLLECTION);
    await server.close();
    return [created.status, listed.at("items.0.metadata.name")];
  };

  test("is reached over TLS to the proxy", async () => {
    const [etcd, proxy] = await Promise.all([startEtcd(), secureProxy()]);
    proxy.lead("etcd.invalid:2379", Number(new URL(etcd.endpoint).port));
    const selection = through("etcd", { tcp: { url: `https://127.0.0.1:${proxy.port}`, tlsConfig: tlsConfig() } });
    expect(await stored(["http://etcd.invalid:2379"], [selection])).toEqual([201, "one"]);
    expect(new Set(proxy.asked)).toEqual(new Set(["etcd.invalid:2379"]));
    await proxy[Symbol.asyncDispose]();
    await etcd.dispose();
  });

  test("is reached with TLS of its own, over a Unix socket and over TLS to the proxy", async () => {
    const pair = issueCertificate(
      { commonName: "etcd", ...terms(), usage: "server", names: ["etcd.invalid", "127.0.0.1"] },
      issuerOf(ca, "proxy-ca"),
    );
    await Promise.all([writeFile(file("etcd.crt"), pair.certificate), writeFile(file("etcd.key"), pair.key)]);
    const files = { caFile: file("proxy-ca.crt"), certFile: file("client.crt"), keyFile: file("client.key") };
    const etcd = await startEtcd({ tls: { ...files, certFile: file("etcd.crt"), keyFile: file("etcd.key") } });
    const socketPath = file("etcd.sock");
    const [unix, secure] = await Promise.all([startConnectProxy({ socketPath }), secureProxy()]);
    const { port } = new URL(etcd.endpoint);
    for (const proxy of [unix, secure]) {
      proxy.lead("etcd.invalid:2379", Number(port));
      proxy.lead("127.0.0.1:1", Number(port));
    }
    const overUnix = through("etcd", { uds: { udsName: socketPath } });
    const overTls = through("etcd", { tcp: { url: `https://127.0.0.1:${secure.port}`, tlsConfig: tlsConfig() } });
    expect(await stored(["https://etcd.invalid:2379"], [overUnix], files)).toEqual([201, "one"]);
    expect(await stored(["https://127.0.0.1:1"], [overTls], { ...files, prefix: "/other" })).toEqual([201, "one"]);
    await Promise.all([unix, secure].map((proxy) => proxy[Symbol.asyncDispose]()));
    await etcd.dispose();
  });

  test("is reached by kubets apiserver with --egress-selector-config-file", async () => {
    const apiserver = await makeApiserverFolder();
    const proxy = await startConnectProxy();
    proxy.lead("etcd.invalid:2379", Number(new URL(apiserver.etcd).port));
    const selections = `apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: cluster
  connection: {proxyProtocol: Direct}
- name: etcd
  connection:
    proxyProtocol: HTTPConnect
    transport: {tcp: {url: "http://127.0.0.1:${proxy.port}"}}
`;
    await writeFile(join(apiserver.path, "selections.yaml"), selections);
    const running = await startApiserver(apiserver, [
      ...neededFlags({ ...apiserver, etcd: "http://etcd.invalid:2379" }),
      "--egress-selector-config-file=selections.yaml",
    ]);
    expect(new Set(proxy.asked)).toEqual(new Set(["etcd.invalid:2379"]));
    const { stderr } = await running.stop();
    expect(stderr).not.toContain("--egress-selector-config-file has no effect");
    await proxy[Symbol.asyncDispose]();
    await apiserver.dispose();
  });
});
