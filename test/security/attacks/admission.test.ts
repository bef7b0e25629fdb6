import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWebhookServer, type WebhookServer } from "../../helpers/webhook-server.js";
import { MERGE } from "../arena.js";
import { type Attack, AttackedCluster, defendAgainst, type Line, SHOP } from "./attacked-cluster.js";

const HOOKS = "/apis/admissionregistration.k8s.io/v1";
const SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";

let cluster: AttackedCluster;
let hook: WebhookServer;
beforeAll(async () => {
  hook = await startWebhookServer();
  cluster = await AttackedCluster.open();
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await hook[Symbol.asyncDispose]();
});

const one = (title: string, line: Line, answers: Attack["answers"] = {}): Attack => ({
  title,
  lines: () => [line],
  answers,
});

describe("an attacker's admission webhooks at addresses of this machine or its network link", () => {
  const configuration = (name: string, clientConfig: object) => ({
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig,
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "shop" } },
        failurePolicy: "Ignore",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        timeoutSeconds: 1,
      },
    ],
  });
  /** One who may write webhooks may name an address, as with kube-apiserver; what is called learns no credentials. */
  const attack = (title: string, clientConfig: () => object, kind = "validating", answer = "201"): Attack => ({
    title,
    lines: (name) => [
      [`POST ${HOOKS}/${kind}webhookconfigurations`, configuration(name, clientConfig())],
      [`POST ${SHOP}/configmaps`, { metadata: { name: `by-${name}` } }],
      [`DELETE ${HOOKS}/${kind}webhookconfigurations/${name}`],
    ],
    answers: { hooks: [answer, "*", "*"] },
  });
  const url = (text: string) => () => ({ url: text.replace("PORT", String(hook.port)) });
  const service = (namespace: string, name: string) => () => ({ service: { namespace, name, port: 443 } });
  const INVALID = "422 Invalid";
  defendAgainst(
    [
      ...["validating", "mutating"].flatMap((kind) => [
        attack(`${kind}: 127.0.0.1`, url("https://127.0.0.1:PORT/"), kind),
        attack(`${kind}: localhost`, url("https://localhost:PORT/"), kind),
        attack(`${kind}: ::1`, url("https://[::1]:PORT/"), kind),
        attack(`${kind}: the cloud's metadata`, url("https://169.254.169.254/latest"), kind),
        attack(`${kind}: another spelling of loopback`, url("https://2130706433:PORT/"), kind),
        attack(`${kind}: plain HTTP`, url("http://127.0.0.1:PORT/"), kind, INVALID),
        attack(`${kind}: with a user`, url("https://admin:admin@127.0.0.1:PORT/"), kind, INVALID),
        attack(`${kind}: with a query`, url("https://127.0.0.1:PORT/?x=1"), kind, INVALID),
        attack(`${kind}: a file`, url("file:///etc/passwd"), kind, INVALID),
        attack(`${kind}: the API server's own Service`, service("default", "kubernetes"), kind),
        attack(`${kind}: a Service that is not there`, service("vault", "ghost"), kind),
        attack(`${kind}: a Service of another namespace`, service("vault", "vaulted"), kind),
      ]),
      attack("a host with a space", url("https://local host/"), "validating", INVALID),
    ],
    () => cluster,
  );
  test("are never sent the server's or a user's credentials", () => {
    for (const { headers } of hook.calls) expect(headers.authorization).toBeUndefined();
  });
});

describe("an attacker's parameters of admission policies", () => {
  interface Parameters {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
  }
  const TARGETS: readonly (readonly [title: string, parameters: Parameters])[] = [
    ["a secret of another namespace", { apiVersion: "v1", kind: "Secret", name: "jewel", namespace: "vault" }],
    ["a secret of kube-system", { apiVersion: "v1", kind: "Secret", name: "jewel", namespace: "kube-system" }],
    ["a ConfigMap of another namespace", { apiVersion: "v1", kind: "ConfigMap", name: "map", namespace: "vault" }],
    ["a pod of another namespace", { apiVersion: "v1", kind: "Pod", name: "vaulted", namespace: "vault" }],
    ["a cluster role", { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "cluster-admin" }],
    ["a node", { apiVersion: "v1", kind: "Node", name: "node-1" }],
  ];
  const policy = (name: string, mutating: boolean, { apiVersion, kind }: Parameters) => ({
    metadata: { name },
    spec: {
      paramKind: { apiVersion, kind },
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      },
      failurePolicy: "Ignore",
      ...(mutating
        ? {
            reinvocationPolicy: "Never",
            mutations: [
              {
                patchType: "JSONPatch",
                jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data", value: params.data}]' },
              },
            ],
          }
        : { validations: [{ expression: "false", messageExpression: "string(params.data.password)" }] }),
    },
  });
  const binding = (name: string, mutating: boolean, target: Parameters, bySelector: boolean) => ({
    metadata: { name },
    spec: {
      policyName: name,
      ...(mutating ? {} : { validationActions: ["Deny"] }),
      paramRef: {
        ...(bySelector ? { selector: {} } : { name: target.name }),
        ...(target.namespace !== undefined && { namespace: target.namespace }),
        parameterNotFoundAction: "Allow",
      },
    },
  });
  const attack = (title: string, target: Parameters, mutating: boolean, bySelector: boolean): Attack => {
    const plural = mutating ? "mutatingadmissionpolic" : "validatingadmissionpolic";
    return {
      title: `${title}, ${bySelector ? "by a selector" : "by name"}, in a ${mutating ? "mutating" : "validating"} policy`,
      lines: (name) => [
        [`POST ${HOOKS}/${plural}ies`, policy(name, mutating, target)],
        [`POST ${HOOKS}/${plural}ybindings`, binding(name, mutating, target, bySelector)],
      ],
      answers: { hooks: ["422 Invalid", "422 Invalid"] },
    };
  };
  defendAgainst(
    TARGETS.flatMap(([title, target]) =>
      [false, true].flatMap((mutating) =>
        [false, true].map((bySelector) => attack(title, target, mutating, bySelector)),
      ),
    ),
    () => cluster,
  );
});

describe("an attacker's APIServices", () => {
  const service = (version: string, group: string, spec: object = { service: { namespace: "shop", name: "web" } }) => ({
    metadata: { name: `${version}.${group}` },
    spec: { group, version, groupPriorityMinimum: 20_000, versionPriority: 100, ...spec },
  });
  const insecure = { service: { namespace: "shop", name: "web" }, insecureSkipTLSVerify: true };
  const groups = [
    "rbac.authorization.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "apps",
    "certificates.k8s.io",
    "example.com",
  ];
  defendAgainst(
    [
      ...groups.map((group) => one(`a new one of ${group}`, [`POST ${SERVICES}`, service("v1", group)])),
      ...groups.map((group) =>
        one(`one of ${group} that checks no certificate`, [`POST ${SERVICES}`, service("v2", group, insecure)]),
      ),
      ...groups
        .slice(0, 5)
        .map((group) =>
          one(`a merge patch of that of ${group}`, [
            `PATCH ${SERVICES}/v1.${group}`,
            { spec: insecure },
            { type: MERGE },
          ]),
        ),
      ...groups.slice(0, 3).map((group) => one(`a deletion of that of ${group}`, [`DELETE ${SERVICES}/v1.${group}`])),
      one("a deletion of all", [`DELETE ${SERVICES}`]),
      one("that of the core group", [`PUT ${SERVICES}/v1.`, service("v1", "")]),
      one("a status", [`PATCH ${SERVICES}/v1.apps/status`, { status: { conditions: [] } }, { type: MERGE }]),
    ],
    () => cluster,
  );
});
