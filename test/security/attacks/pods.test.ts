import { afterAll, beforeAll, describe, expect } from "vitest";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { JEWEL, pod, STRATEGIC } from "../arena.js";
import { type Attack, AttackedCluster, defendAgainst, deployment, type Line, SHOP, VAULT } from "./attacked-cluster.js";

const NODE = "/api/v1/nodes/node-1";
const WEB_SOCKET = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": Buffer.alloc(16).toString("base64"),
  "sec-websocket-protocol": "v5.channel.k8s.io",
};

let cluster: AttackedCluster;
/** The address of the node, which a pod with hostNetwork has. */
let nodeAddress = "";

beforeAll(async () => {
  cluster = await AttackedCluster.open();
  const { arena } = cluster;
  const address = (await arena.make("GET", NODE)).at("status.addresses.0.address");
  if (typeof address !== "string") throw new Error("the node has no address");
  nodeAddress = address;
  // The attackers find it with its environment wherever a kubelet tells of its pods.
  const container = { name: "c", image: "i", env: [{ name: "PASSWORD", value: JEWEL }] };
  await arena.create(`${VAULT}/pods`, { ...pod("with-jewel"), spec: { containers: [container] } });
  await arena.create(`${SHOP}/pods`, pod("on-host", { hostNetwork: true }, { labels: { app: "on-host" } }));
  for (const name of ["on-host", "web"]) {
    await eventually(async () =>
      expect((await call(arena.admin, "GET", `${SHOP}/pods/${name}`)).at("status.phase")).toBe("Running"),
    );
  }
  await eventually(async () =>
    expect((await call(arena.admin, "GET", `${VAULT}/pods/with-jewel`)).at("status.phase")).toBe("Running"),
  );
  await cluster.remember();
});
afterAll(() => cluster[Symbol.asyncDispose]());

const one = (title: string, line: Line, answers: Attack["answers"] = {}): Attack => ({
  title,
  lines: () => [line],
  answers,
});

describe("an attacker's use of the node proxy", () => {
  const paths = [
    "pods",
    "runningpods/",
    "healthz",
    "stats/summary",
    "metrics",
    "metrics/cadvisor",
    "configz",
    "logs/",
    "containerLogs/vault/with-jewel/c",
    "containerLogs/kube-system/x/y",
    "exec/vault/with-jewel/c?command=env&output=1",
    "run/vault/with-jewel/c?cmd=env",
    "attach/vault/with-jewel/c?output=1",
    "portForward/vault/with-jewel",
    "debug/pprof/heap",
    "%2e%2e/pods",
  ];
  defendAgainst(
    [
      ...paths.map((path) => one(`GET ${path}`, [`GET ${NODE}/proxy/${path}`])),
      one("POST of an exec", [`POST ${NODE}/proxy/exec/vault/with-jewel/c?command=env&output=1`]),
      one("an exec by WebSocket", [
        `GET ${NODE}/proxy/exec/vault/with-jewel/c?command=env&output=1`,
        undefined,
        { headers: WEB_SOCKET },
      ]),
      one("by its port", ["GET /api/v1/nodes/node-1:10250/proxy/pods"]),
      one("by https and its port", ["GET /api/v1/nodes/https:node-1:10250/proxy/pods"]),
      one("by the old path", ["GET /api/v1/proxy/nodes/node-1/pods"]),
      one("of a node that is not there", ["GET /api/v1/nodes/ghost/proxy/pods"]),
    ],
    () => cluster,
  );
});

describe("an attacker's ephemeral containers", () => {
  const add = (container: object) => ({ spec: { ephemeralContainers: [{ name: "e", image: "i", ...container }] } });
  const patched = (title: string, path: string, container: object, answer = "403 Forbidden"): Attack =>
    one(title, [`PATCH ${path}/ephemeralcontainers`, add(container), { type: STRATEGIC }], { edit: [answer] });
  const wares: readonly (readonly [title: string, container: object])[] = [
    ["a plain one", {}],
    ["a privileged one", { securityContext: { privileged: true } }],
    ["one with the account's token", { volumeMounts: [{ name: "kube-api-access", mountPath: "/t" }] }],
    ["one that shares processes", { targetContainerName: "c" }],
    ["one with a secret's variables", { envFrom: [{ secretRef: { name: "jewel" } }] }],
    ["one with a node's field", { env: [{ name: "N", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } }] }],
    ["one with a command", { command: ["cat", "/var/run/secrets/kubernetes.io/serviceaccount/token"] }],
    ["one with a host port", { ports: [{ containerPort: 1, hostPort: 10250 }] }],
    ["one as root", { securityContext: { runAsUser: 0, capabilities: { add: ["SYS_ADMIN"] } } }],
  ];
  defendAgainst(
    [
      ...wares.map(([title, container]) =>
        patched(`${title}, in another namespace`, `${VAULT}/pods/with-jewel`, container),
      ),
      // The role "edit" has no right to them; "admin" has none either.
      ...wares.map(([title, container]) => patched(`${title}, in one's own`, `${SHOP}/pods/web`, container)),
      one("by PUT", [`PUT ${SHOP}/pods/web/ephemeralcontainers`, { ...pod("web"), ...add({}) }]),
      one("in the pod itself", [`PATCH ${SHOP}/pods/web`, add({}), { type: STRATEGIC }], { edit: ["422 Invalid"] }),
      {
        title: "in a new pod",
        lines: (name) => [
          [`POST ${SHOP}/pods`, { ...pod(name), spec: { ...add({}).spec, containers: [{ name: "c", image: "i" }] } }],
        ],
        answers: { edit: ["422 Invalid"], pods: ["422 Invalid"] },
      },
    ],
    () => cluster,
  );
});

describe("an attacker's pods with hostNetwork, and Services that select them", () => {
  /** `edit` reaches the pod, and the kubelet there knows none of the server's rights in it. */
  const through = (title: string, path: string, headers = {}): Attack =>
    one(title, [`GET ${SHOP}/${path}`, undefined, { headers }], { edit: ["*"] });
  const service = (name: string, selector: object, more: object = {}) => ({
    metadata: { name },
    spec: { selector, ports: [{ name: "kubelet", port: 10250, targetPort: 10250 }], ...more },
  });
  const behindService = (title: string, selector: object, more: object, path: string): Attack => ({
    title,
    lines: (name) => [
      [`POST ${SHOP}/services`, service(name, selector, more)],
      [`GET ${SHOP}/services/https:${name}:10250/proxy/${path}`],
      [`GET ${SHOP}/services/${name}:kubelet/proxy/${path}`],
    ],
    answers: { edit: ["*", "*", "*"] },
  });
  const slice = (name: string, address: string) => ({
    metadata: { name, labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: "kubelet", port: 10250, protocol: "TCP" }],
  });
  const byHand = (title: string, address: () => string, kind: "endpoints" | "endpointslices"): Attack => ({
    title,
    lines: (name) => [
      kind === "endpoints"
        ? [
            `POST ${SHOP}/endpoints`,
            {
              metadata: { name },
              subsets: [{ addresses: [{ ip: address() }], ports: [{ name: "kubelet", port: 10250 }] }],
            },
          ]
        : ["POST /apis/discovery.k8s.io/v1/namespaces/shop/endpointslices", slice(name, address())],
      [`POST ${SHOP}/services`, { metadata: { name }, spec: { ports: [{ name: "kubelet", port: 10250 }] } }],
      [`GET ${SHOP}/services/https:${name}:10250/proxy/pods`],
      [`GET ${SHOP}/services/${name}:10250/proxy/containerLogs/vault/with-jewel/c`],
    ],
    // Endpoints are none of the role "edit" (CVE-2021-25740).
    answers: { edit: ["403 Forbidden", "*", "*", "*"] },
  });
  const KUBELET_PATHS = [
    "pods",
    "runningpods/",
    "containerLogs/vault/with-jewel/c",
    "stats/summary",
    "exec/vault/with-jewel/c?command=env&output=1",
    "configz",
    "metrics",
  ];
  defendAgainst(
    [
      ...KUBELET_PATHS.map((path) =>
        through(`GET ${path} of a pod's kubelet port`, `pods/https:on-host:10250/proxy/${path}`),
      ),
      ...KUBELET_PATHS.slice(0, 3).map((path) =>
        through(`GET ${path} of it without TLS`, `pods/on-host:10250/proxy/${path}`),
      ),
      through(
        "an exec by WebSocket through it",
        "pods/https:on-host:10250/proxy/exec/vault/with-jewel/c?command=env&output=1",
        WEB_SOCKET,
      ),
      through("a forged certificate's headers", "pods/https:on-host:10250/proxy/pods", {
        "x-remote-user": "admin",
        "x-remote-group": "system:masters",
      }),
      behindService("a Service of such pods", { app: "on-host" }, {}, "pods"),
      behindService("a headless Service of such pods", { app: "on-host" }, { clusterIP: "None" }, "pods"),
      behindService("a Service of such pods, to a log", { app: "on-host" }, {}, "containerLogs/vault/with-jewel/c"),
      behindService(
        "a Service of a name of this machine",
        {},
        { type: "ExternalName", externalName: "localhost" },
        "pods",
      ),
      behindService("a Service of the node's name", {}, { type: "ExternalName", externalName: "node-1" }, "pods"),
      byHand("endpoints by hand", () => nodeAddress, "endpoints"),
      byHand("an endpoint slice by hand", () => nodeAddress, "endpointslices"),
      byHand("endpoints of this machine", () => "127.0.0.1", "endpoints"),
      {
        title: "a new pod with hostNetwork",
        lines: (name) => [
          [
            `POST ${SHOP}/pods`,
            pod(name, {
              hostNetwork: true,
              containers: [{ name: "c", image: "i", ports: [{ containerPort: 10250, hostPort: 10250 }] }],
            }),
          ],
          [`GET ${SHOP}/pods/https:${name}:10250/proxy/pods`],
        ],
        answers: { edit: ["201", "*"], pods: ["201", "403 Forbidden"] },
      },
      {
        title: "a Deployment of pods with hostNetwork",
        lines: (name) => [
          ["POST /apis/apps/v1/namespaces/shop/deployments", deployment(name, 1, { hostNetwork: true, hostPID: true })],
        ],
        answers: { edit: ["201"] },
      },
      one("a pod with hostNetwork in another namespace", [`POST ${VAULT}/pods`, pod("mine", { hostNetwork: true })]),
    ],
    () => cluster,
  );
});

describe("an attacker's annotations of kubets.dev", () => {
  const VALUES: readonly unknown[] = [
    "",
    "{}",
    "[]",
    "null",
    "nothing that is JSON",
    '{"__proto__":{"admin":true}}',
    '{"constructor":{"prototype":{"admin":true}}}',
    JSON.stringify([{ phase: "Running", podIP: "127.0.0.1" }]),
    JSON.stringify([{ after: "0s", do: "exec", command: ["cat", "/etc/passwd"] }]),
    JSON.stringify({ stages: [{ exit: 0, write: "../../../../etc/passwd" }] }),
    JSON.stringify(Array.from({ length: 10_000 }, () => ({}))),
    "[".repeat(10_000),
  ];
  const annotated = (name: string, value: string) => ({
    annotations: { "kubets.dev/stages": value, "kubets.dev/user": "admin", "kubets.dev/node": name },
  });
  defendAgainst(
    [
      ...VALUES.map(
        (value, index): Attack => ({
          title: `stages of a pod, ${index + 1}`,
          lines: (name) => [[`POST ${SHOP}/pods`, pod(name, {}, annotated(name, String(value)))]],
          answers: { edit: ["*"], pods: ["*"] },
        }),
      ),
      ...["services", "configmaps", "serviceaccounts", "secrets", "persistentvolumeclaims"].map(
        (kind): Attack => ({
          title: `on one of the ${kind}`,
          lines: (name) => [
            [
              `POST ${SHOP}/${kind}`,
              {
                metadata: { name, ...annotated(name, "{}") },
                ...(kind === "services"
                  ? { spec: { ports: [{ port: 80 }] } }
                  : kind === "persistentvolumeclaims"
                    ? { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }
                    : {}),
              },
            ],
          ],
          answers: { edit: ["201"] },
        }),
      ),
      one("on the namespace", [
        "PATCH /api/v1/namespaces/shop",
        { metadata: annotated("x", "{}") },
        { type: STRATEGIC },
      ]),
      one("on the node", [`PATCH ${NODE}`, { metadata: annotated("x", "{}") }, { type: STRATEGIC }]),
      one("on a pod of another namespace", [
        `PATCH ${VAULT}/pods/with-jewel`,
        { metadata: annotated("x", "{}") },
        { type: STRATEGIC },
      ]),
      one("on the secret of another namespace", [
        `PATCH ${VAULT}/secrets/jewel`,
        { metadata: annotated("x", "{}") },
        { type: STRATEGIC },
      ]),
    ],
    () => cluster,
  );
});
