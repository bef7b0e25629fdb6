import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { AnswerConnection } from "../../../src/node/scripted/ports.js";
import { text } from "../../../src/machinery/meta/access.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";

const DEFAULT = "/api/v1/namespaces/default";
/** Answers each request. */
const hello: AnswerConnection = async (connection) => {
  for await (const chunk of connection) {
    if (!Buffer.from(chunk).includes("\r\n\r\n")) continue;
    await connection.write(Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n"));
    break;
  }
  await connection.end();
};
const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

let cluster: Cluster;
let api: Transport;

const create = async (path: string, body: object): Promise<void> => {
  const { status, text } = await call(api, "POST", path, body);
  expect(status, text).toBe(201);
};
const service = (name: string, spec: object, labels = { app: "web" }): Promise<void> =>
  create(`${DEFAULT}/services`, {
    metadata: { name },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  });

beforeAll(async () => {
  const images = { "example.com/hello": { ports: { 8080: hello } } };
  cluster = await startCluster({ nodes: ["node-1", "node-2"].map((name) => ({ name, images })) });
  api = cluster.transport();
  await eventually(async () => expect((await call(api, "GET", `${DEFAULT}/serviceaccounts/default`)).status).toBe(200));
  await service("web", { clusterIP: "10.96.1.1" });
  await service("pods", { clusterIP: "None" });
  await service("published", { type: "NodePort", ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] });
  await service("named", { type: "ExternalName", externalName: "web.default.svc.cluster.local" });
  await service("outside", { type: "ExternalName", externalName: "example.com" });
  await service("nothing", { clusterIP: "10.96.1.2" }, { app: "nothing" });
  await service("unknown", { clusterIP: "10.96.1.3" }, { app: "unknown" });
  const web = { name: "c", image: "example.com/hello" };
  const spec = { hostname: "first", subdomain: "pods", containers: [web] };
  await create(`${DEFAULT}/pods`, { metadata: { name: "web", labels: { app: "web" } }, spec });
  const standIn = { name: "c", image: "example.com/server", ports: [{ containerPort: 8080 }] };
  await create(`${DEFAULT}/pods`, {
    metadata: { name: "unknown", labels: { app: "unknown" } },
    spec: { containers: [standIn] },
  });
  for (const name of ["web", "unknown"]) {
    const ready = async () => (await call(api, "GET", `${DEFAULT}/endpoints/${name}`)).at("subsets.0.addresses");
    await eventually(async () => expect(await ready()).toHaveLength(1));
  }
});
afterAll(() => cluster.close());

let runs = 0;

/** What a pod writes that runs a script to its end. */
async function run(script: string, spec: object = {}, container: object = {}): Promise<string> {
  const name = `run-${(runs += 1)}`;
  const one = { name: "c", image: "busybox", command: ["sh", "-c", script], ...container };
  await create(`${DEFAULT}/pods`, { metadata: { name }, spec: { restartPolicy: "Never", containers: [one], ...spec } });
  await eventually(async () => {
    expect((await call(api, "GET", `${DEFAULT}/pods/${name}`)).at("status.phase")).toMatch(/Succeeded|Failed/);
  });
  return (await call(api, "GET", `${DEFAULT}/pods/${name}/log`)).text;
}

const GET = "curl -s";

describe.concurrent("a program of a pod reaches", () => {
  test.each([
    ["a Service by its name", `${GET} http://web`, "hello\n"],
    ["a Service by name and namespace", `${GET} http://web.default`, "hello\n"],
    ["a Service by its full name", `${GET} http://web.default.svc.cluster.local./`, "hello\n"],
    ["a Service by its cluster IP", `${GET} http://10.96.1.1/`, "hello\n"],
    ["a pod of a headless Service", `${GET} http://pods:8080/`, "hello\n"],
    ["a pod of a headless Service by its own name", `${GET} http://first.pods:8080/`, "hello\n"],
    ["a Service by another's ExternalName", `${GET} http://named/`, "hello\n"],
    ["a node port", `${GET} http://$NODE:30080/`, "hello\n"],
    ["its own pod as localhost", "echo hi | nc -l -p 7000 & nc localhost 7000 </dev/null", "hi\n"],
    [
      "what stands in for a program",
      `${GET} http://unknown/`,
      'kubets: container c of pod default/unknown stands in for image "example.com/server"; would have run: its entrypoint\n',
    ],
    [
      "what stands in, without the authority's file that it would be asked by",
      `${GET} --cacert /certs/ca.crt https://unknown:80/`,
      'kubets: container c of pod default/unknown stands in for image "example.com/server"; would have run: its entrypoint\n',
    ],
    [
      "the API, and then opens the files of its certificates",
      `for file in cacert cert; do curl -sS --$file /nope https://kubernetes.default.svc/livez; echo $?; done; curl -sS --cacert /nope https://web:81/ 2>&1 | cut -c1-9`,
      `curl: (77) error setting certificate file: /nope\n77\ncurl: (58) could not load PEM client certificate from /nope, OpenSSL error error:80000002:system library::No such file or directory, (no key found, wrong pass phrase, or wrong file format?)\n58\ncurl: (7)\n`,
    ],
    [
      "the API with its token",
      `${GET} --cacert ${ACCOUNT}/ca.crt -H "Authorization: Bearer $(cat ${ACCOUNT}/token)" https://kubernetes.default.svc/api/v1/namespaces/default/pods | grep -o 'serviceaccount:default:default'`,
      "serviceaccount:default:default\n",
    ],
    [
      "the API as nobody without a token",
      `${GET} -k https://kubernetes/api/v1/pods | grep -o 'system:anonymous'`,
      "system:anonymous\n",
    ],
    [
      "the API by the address of its environment",
      `${GET} -k https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT/livez`,
      "ok",
    ],
    [
      "a Service by the address of its environment",
      `${GET} http://$WEB_SERVICE_HOST:$WEB_PORT_80_TCP_PORT/`,
      "hello\n",
    ],
  ])("%s", async (_title, script, output) => {
    const env = [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } }];
    expect(await run(script, {}, { env })).toBe(output);
  });
});

describe.concurrent("a program of a pod gets an error for", () => {
  test.each<readonly [string, string, string | RegExp, object]>([
    [
      "a Service without endpoints",
      "nc -z nothing 80",
      "nc: can't connect to remote host (10.96.1.2): Connection refused\n",
      {},
    ],
    [
      "a port that the Service has not",
      "curl -sS http://web:81",
      /^curl: \(7\) Failed to connect to web port 81 after \d+ ms: Could not connect to server\n$/,
      {},
    ],
    ["a name that no Service has", "wget http://missing", "wget: bad address 'missing'\n", {}],
    [
      "a name in a namespace that no Service has",
      "curl -sS http://missing.kube-system",
      "curl: (6) Could not resolve host: missing.kube-system\n",
      {},
    ],
    [
      "an API whose authority it does not know",
      "curl -sS https://kubernetes.default.svc/ 2>&1 | head -n 1",
      "curl: (60) SSL certificate problem: self-signed certificate in certificate chain\n",
      {},
    ],
    [
      "names of the cluster with the DNS of its node",
      "nslookup web | tail -n 1",
      "nslookup: can't resolve 'web'\n",
      { dnsPolicy: "Default" },
    ],
  ])("%s", async (_title, script, output, spec) =>
    expect(await run(script, spec)).toEqual(output instanceof RegExp ? expect.stringMatching(output) : output),
  );
});

describe("a program of a pod cannot reach the machine that runs kubets", () => {
  test("by a port of the machine's loopback, from a pod with hostNetwork", async () => {
    const port = new URL(cluster.url ?? "").port;
    const script = `nc -z 127.0.0.1 ${port}; nc -z localhost ${port}`;
    expect(await run(script, { hostNetwork: true })).toBe(
      "nc: can't connect to remote host (127.0.0.1): Connection refused\n".repeat(2),
    );
  });

  test("by endpoints that a user wrote", async () => {
    await create(`${DEFAULT}/services`, {
      metadata: { name: "by-hand" },
      spec: { clusterIP: "10.96.1.4", ports: [{ port: 80 }] },
    });
    await create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
      metadata: { name: "by-hand", labels: { "kubernetes.io/service-name": "by-hand" } },
      addressType: "IPv4",
      endpoints: [{ addresses: ["192.0.2.10"] }],
      ports: [{ port: 80 }],
    });
    expect(await run("curl -s http://by-hand/")).toBe(
      "kubets: curl stands in for http://by-hand/: programs of pods reach nothing outside of the cluster\n",
    );
  });

  test("by an external IP that is a pod's address: the pod answers", async () => {
    const address = text((await call(api, "GET", `${DEFAULT}/pods/web`)).at("status.podIP"));
    await service("thief", { externalIPs: [address] }, { app: "unknown" });
    expect(await run(`curl -s http://${address}:8080`)).toBe("hello\n");
    expect(await run(`nc -z ${address} 80`)).toMatch(/Connection refused/);
  });

  test("by its node's kubelet without credentials", async () => {
    const env = [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } }];
    expect(await run("curl -sk https://$NODE:10250/pods", {}, { env })).toBe("Unauthorized");
  });
});

describe.concurrent("a host name outside of the cluster", () => {
  const STANDS_IN = "programs of pods reach nothing outside of the cluster\n";

  test.each([
    [
      "curl",
      "curl -sf http://example.com/x && echo on",
      `kubets: curl stands in for http://example.com/x: ${STANDS_IN}on\n`,
    ],
    [
      "curl by an address of the machine",
      "curl -s http://192.0.2.1/",
      `kubets: curl stands in for http://192.0.2.1/: ${STANDS_IN}`,
    ],
    ["curl by an ExternalName", "curl -s http://outside/", `kubets: curl stands in for http://outside/: ${STANDS_IN}`],
    [
      "wget",
      "wget -q -O page http://example.com/ && wc -c page",
      `kubets: wget stands in for http://example.com/: ${STANDS_IN}0 page\n`,
    ],
    ["nc", "nc -z example.com 443", `kubets: nc stands in for example.com:443: ${STANDS_IN}`],
  ])("answers a pod's script with an empty body: %s", async (_title, script, output) => {
    expect(await run(script)).toBe(output);
  });

  test("is a bad address where stand-ins are switched off", async () => {
    const spec = { annotations: { "kubets.dev/images": "strict" } };
    const name = "strict";
    const container = { name: "c", image: "busybox", command: ["wget", "http://example.com"] };
    await create(`${DEFAULT}/pods`, {
      metadata: { name, ...spec },
      spec: { restartPolicy: "Never", containers: [container] },
    });
    await eventually(async () => {
      expect((await call(api, "GET", `${DEFAULT}/pods/${name}/log`)).text).toBe("wget: bad address 'example.com'\n");
    });
  });
});
