import { createPrivateKey } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, type Settings } from "node:http2";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueCertificate, issuerOf, type KeyPair } from "../../../src/machinery/crypto/issue-certificate.js";
import { signingKey, signToken } from "../../../src/machinery/crypto/jwt/jws.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import {
  type ApiserverFolder,
  makeApiserverFolder,
  neededFlags,
  type RunningApiserver,
  startApiserver,
} from "../../helpers/apiserver-folder.js";
import { eventually } from "../../helpers/eventually.js";
import { newAuthority, openTls } from "../../helpers/tls-peer.js";

let folder: ApiserverFolder;
let server: RunningApiserver;

beforeAll(async () => {
  folder = await makeApiserverFolder();
  server = await startApiserver(folder, [
    ...neededFlags(folder),
    "--disable-admission-plugins=ServiceAccount",
    "--disable-http2-serving",
    "--external-hostname=api.example.com",
    "--kubernetes-service-node-port=20001",
    "--service-node-port-range=20000-20007",
    "--default-not-ready-toleration-seconds=7",
    "--advertise-address=192.0.2.1",
    "--advertise-port=6443",
    "--feature-gates=WatchList=false",
  ]);
});

afterAll(async () => {
  await server.stop();
  await folder.dispose();
});

const SERVICES = "/api/v1/namespaces/default/services";
const PODS = "/api/v1/namespaces/default/pods";
const port = (nodePort?: number) => ({ port: 80, ...(nodePort !== undefined && { nodePort }) });
const createService = (name: string, nodePort?: number) =>
  call(server.admin, "POST", SERVICES, { metadata: { name }, spec: { type: "NodePort", ports: [port(nodePort)] } });
const container = (privileged?: boolean) => ({
  name: "c",
  image: "nginx",
  ...(privileged !== undefined && { securityContext: { privileged } }),
});

describe("flags of kubets apiserver that set the server up (MAIN-3, MAIN-4, C-CFG-11)", () => {
  test("take node ports from --service-node-port-range, and a fixed one for the Service kubernetes", async () => {
    const service = await call(server.admin, "GET", `${SERVICES}/kubernetes`);
    expect([service.at("spec.type"), service.at("spec.ports.0.nodePort")]).toEqual(["NodePort", 20_001]);
    const given = await createService("given");
    expect(given.at("spec.ports.0.nodePort")).toBeGreaterThanOrEqual(20_000);
    expect(given.at("spec.ports.0.nodePort")).toBeLessThanOrEqual(20_007);
    expect((await createService("outside", 30_000)).at("message")).toBe(
      'Service "outside" is invalid: spec.ports[0].nodePort: Invalid value: 30000: provided port is not in the valid range. The range of valid ports is 20000-20007',
    );
    expect((await createService("taken", 20_001)).at("message")).toContain("provided port is already allocated");
  });

  test("put the advertised address and port into the endpoints of the Service kubernetes", async () => {
    const endpoints = await call(server.admin, "GET", "/api/v1/namespaces/default/endpoints/kubernetes");
    expect([endpoints.at("subsets.0.addresses.0.ip"), endpoints.at("subsets.0.ports.0.port")]).toEqual([
      "192.0.2.1",
      6443,
    ]);
  });

  test("MAIN-5: put --external-hostname into the addresses that clients get", async () => {
    const versions = await call(server.admin, "GET", "/api");
    expect(versions.at("serverAddressByClientCIDRs.0.serverAddress")).toBe(`api.example.com:${server.port}`);
    const discovery = await call(server.admin, "GET", "/.well-known/openid-configuration");
    expect(discovery.at("jwks_uri")).toBe(`https://api.example.com:${server.port}/openid/v1/jwks`);
  });

  test("H2-1: leave only HTTP/1.1 with --disable-http2-serving, and keep an idle connection for 90 s (WEB-1)", async () => {
    const socket = await openTls(server.port, { ALPNProtocols: ["h2", "http/1.1"] });
    expect(socket.alpnProtocol).toBe("http/1.1");
    socket.write("GET /livez HTTP/1.1\r\nHost: api.example.com\r\n\r\n");
    const [head] = (await once(socket, "data")) as [Buffer];
    expect(head.toString()).toMatch(/^Keep-Alive: timeout=90\r$/m);
    socket.destroy();
  });

  test("set the default tolerations by --default-not-ready-toleration-seconds", async () => {
    const pod = await call(server.admin, "POST", PODS, {
      metadata: { name: "web" },
      spec: { containers: [container()] },
    });
    expect(pod.at("spec.tolerations")).toMatchObject([{ tolerationSeconds: 7 }, { tolerationSeconds: 300 }]);
  });

  test("warn about a feature gate whose value the server cannot change", () => {
    expect(server.cli.stderr()).toContain(
      "--feature-gates=WatchList=false has no effect: features are as Kubernetes 1.37 has them",
    );
  });
});

describe("kubets apiserver without --allow-privileged", () => {
  test.each([
    ["a pod", PODS, { spec: { containers: [container(true)] } }, "spec.containers[0]"],
    [
      "an init container",
      PODS,
      { spec: { initContainers: [{ ...container(true), name: "i" }], containers: [container()] } },
      "spec.initContainers[0]",
    ],
    [
      "the template of a Deployment",
      "/apis/apps/v1/namespaces/default/deployments",
      {
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [container(true)] } },
        },
      },
      "spec.template.spec.containers[0]",
    ],
    [
      "the template of a CronJob",
      "/apis/batch/v1/namespaces/default/cronjobs",
      {
        spec: {
          schedule: "@daily",
          jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container(true)] } } } },
        },
      },
      "spec.jobTemplate.spec.template.spec.containers[0]",
    ],
  ])("refuses %s with a privileged container", async (_, path, object, place) => {
    const { status, at } = await call(server.admin, "POST", path, { metadata: { name: "p" }, ...object });
    expect(status).toBe(422);
    expect(at("message")).toContain(`${place}.securityContext.privileged: Forbidden: disallowed by cluster policy`);
  });

  test("refuses a privileged debug container, and accepts an unprivileged one", async () => {
    await call(server.admin, "POST", PODS, { metadata: { name: "plain" }, spec: { containers: [container(false)] } });
    const debug = (privileged: boolean) =>
      call(
        server.admin,
        "PATCH",
        `${PODS}/plain/ephemeralcontainers`,
        { spec: { ephemeralContainers: [{ ...container(privileged), name: "d" }] } },
        { type: "application/strategic-merge-patch+json" },
      );
    expect((await debug(true)).at("message")).toContain(
      "spec.ephemeralContainers[0].securityContext.privileged: Forbidden: disallowed by cluster policy",
    );
    expect((await debug(false)).status).toBe(200);
  });
});

describe("flags of kubets apiserver that change what a running server does", () => {
  let other: RunningApiserver;
  beforeAll(async () => {
    other = await startApiserver(folder, [
      ...neededFlags(folder),
      "--allow-privileged",
      "--endpoint-reconciler-type=none",
      "--etcd-prefix=/other",
      "--event-ttl=1s",
      "--http2-max-streams-per-connection=7",
      "--kubelet-certificate-authority=ca.crt",
      "--kubelet-client-certificate=apiserver-kubelet-client.crt",
      "--kubelet-client-key=apiserver-kubelet-client.key",
      "--kubelet-preferred-address-types=ExternalIP",
      "--service-account-lookup=false",
      "--disable-admission-plugins=ServiceAccount",
    ]);
  });
  afterAll(() => other.stop());

  test("allow privileged containers with --allow-privileged", async () => {
    const pod = await call(other.admin, "POST", PODS, {
      metadata: { name: "p" },
      spec: { containers: [container(true)] },
    });
    expect(pod.status).toBe(201);
  });

  test("C-CFG-11: limit by --event-ttl how long events are stored", async () => {
    const events = "/api/v1/namespaces/default/events";
    const involvedObject = { kind: "Pod", namespace: "default", name: "p" };
    expect((await call(other.admin, "POST", events, { metadata: { name: "e" }, involvedObject })).status).toBe(201);
    await eventually(async () => expect((await call(other.admin, "GET", `${events}/e`)).status).toBe(404));
  });

  test("H2-1: announce --http2-max-streams-per-connection in the settings of an HTTP/2 connection", async () => {
    const session = connect(`https://127.0.0.1:${other.port}`, { rejectUnauthorized: false });
    const settings = await new Promise<Settings>((told) => session.once("remoteSettings", told));
    expect(settings.maxConcurrentStreams).toBe(7);
    session.destroy();
  });

  test("accept with --service-account-lookup=false a token whose secret was deleted", async () => {
    const key = createPrivateKey(await readFile(join(folder.path, "sa.key")));
    const token = signToken(
      {
        iss: "kubernetes/serviceaccount",
        sub: "system:serviceaccount:default:gone",
        "kubernetes.io/serviceaccount/namespace": "default",
        "kubernetes.io/serviceaccount/secret.name": "gone-token",
        "kubernetes.io/serviceaccount/service-account.name": "gone",
        "kubernetes.io/serviceaccount/service-account.uid": "1",
      },
      signingKey(key),
    );
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const ask = ({ anonymous }: RunningApiserver) =>
      call(anonymous, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review, {
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await ask(other)).at("status.userInfo.username")).toBe("system:serviceaccount:default:gone");
    expect((await ask(server)).status).toBe(401);
  });

  describe("kubelets", () => {
    /** Answers the log of any container with who asked. */
    async function startKubelet(pair: KeyPair): Promise<Server> {
      const ca = await readFile(join(folder.path, "ca.crt"));
      const kubelet = createServer(
        { cert: pair.certificate, key: pair.key, ca, requestCert: true },
        (request, response) => {
          const { subject } = (request.socket as TLSSocket).getPeerCertificate();
          response.end(`asked by ${subject.CN}`);
        },
      );
      await new Promise<void>((resolve) => kubelet.listen(0, "127.0.0.1", resolve));
      return kubelet;
    }

    async function logOf(name: string, pair: KeyPair): Promise<Answer> {
      const kubelet = await startKubelet(pair);
      try {
        const { port: Port } = kubelet.address() as AddressInfo;
        await call(other.admin, "POST", "/api/v1/nodes", { metadata: { name } });
        const status = {
          addresses: [
            { type: "InternalIP", address: "192.0.2.9" },
            { type: "ExternalIP", address: "127.0.0.1" },
          ],
          daemonEndpoints: { kubeletEndpoint: { Port } },
        };
        const merge = { type: "application/merge-patch+json" };
        await call(other.admin, "PATCH", `/api/v1/nodes/${name}/status`, { status }, merge);
        await call(other.admin, "POST", PODS, {
          metadata: { name },
          spec: { nodeName: name, containers: [container()] },
        });
        return await call(other.admin, "GET", `${PODS}/${name}/log`);
      } finally {
        kubelet.closeAllConnections();
        await new Promise((closed) => kubelet.close(closed));
      }
    }

    const kubeletOf = (ca: KeyPair, issuer: string): KeyPair =>
      issueCertificate(
        {
          commonName: "kubelet",
          names: ["127.0.0.1"],
          notBefore: Date.now() - 86_400_000,
          notAfter: Date.now() + 86_400_000,
          serial: Buffer.alloc(16, 9),
          usage: "server",
        },
        issuerOf(ca, issuer),
      );

    test("reach a kubelet at its preferred address, with the client certificate and the authority of the flags", async () => {
      const [certificate, key] = await Promise.all(
        ["ca.crt", "ca.key"].map((name) => readFile(join(folder.path, name), "utf8")),
      );
      const known = await logOf("known", kubeletOf({ certificate: certificate ?? "", key: key ?? "" }, "kubernetes"));
      expect(known.text).toBe("asked by kube-apiserver-kubelet-client");
      const foreign = await logOf("foreign", kubeletOf(newAuthority(), "tls-root"));
      expect(foreign.status).toBe(500);
      expect(foreign.at("message")).toContain("x509: certificate signed by unknown authority");
    });
  });

  test("leave the endpoints of the Service kubernetes to others with --endpoint-reconciler-type=none", async () => {
    expect((await call(other.admin, "GET", "/api/v1/namespaces/default/endpoints/kubernetes")).status).toBe(404);
    expect((await call(other.admin, "GET", `${SERVICES}/kubernetes`)).status).toBe(200);
  });
});
