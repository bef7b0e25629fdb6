import { describe, expect, test } from "vitest";
import { allScheme } from "../../../src/api/scheme/all.js";
import { type ConversionRow, deepFreeze, testConversions } from "../../helpers/conversion-rows.js";

// Sources: kubernetes pkg/apis/networking/v1beta1/conversion.go, pkg/apis/extensions/v1beta1/conversion.go,
// pkg/apis/policy/{helper.go,v1/conversion.go,v1beta1/conversion.go}, pkg/apis/core/v1/conversion.go (templates).

const NETWORKING = "networking.k8s.io/v1beta1";
const EXTENSIONS = "extensions/v1beta1";
const NETWORKING_V1 = "networking.k8s.io/v1";

const metadata = { name: "x", annotations: { "kubernetes.io/ingress.class": "nginx" } };
const resource = { apiGroup: "storage.example.com", kind: "Bucket", name: "static" };

/** One backend as it is in all three places a row looks at. */
const old = (backend: object) => ({
  metadata,
  spec: { backend, rules: [{ host: "h", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }] },
});
const current = (backend: object) => ({
  metadata,
  spec: {
    defaultBackend: backend,
    rules: [{ host: "h", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
  },
});

const numbered = [{ serviceName: "s", servicePort: 80 }, { service: { name: "s", port: { number: 80 } } }] as const;
const byName = [{ serviceName: "s", servicePort: "http" }, { service: { name: "s", port: { name: "http" } } }] as const;

describe("converting the backends of an Ingress", () => {
  const both: readonly (readonly [name: string, old: object, current: object])[] = [
    ["a port by number", ...numbered],
    ["a port by name", ...byName],
    [
      "a text of digits is a name",
      { serviceName: "s", servicePort: "80" },
      { service: { name: "s", port: { name: "80" } } },
    ],
    ["port 0 is no port", { serviceName: "s", servicePort: 0 }, { service: { name: "s", port: {} } }],
    ["no service", { resource }, { resource }],
    [
      "a service and a resource",
      { resource, serviceName: "s", servicePort: 8 },
      { resource, service: { name: "s", port: { number: 8 } } },
    ],
    ["a port of no service", { servicePort: 80 }, { service: { name: "", port: { number: 80 } } }],
  ];
  testConversions([
    ...both.flatMap(([name, before, after]): ConversionRow[] => [
      [name, "Ingress", NETWORKING, NETWORKING_V1, old(before), current(after)],
      [name, "Ingress", NETWORKING_V1, NETWORKING, current(after), old(before)],
    ]),
    ["a port by number", "Ingress", EXTENSIONS, NETWORKING_V1, old(numbered[0]), current(numbered[1])],
    ["a port by name", "Ingress", NETWORKING_V1, EXTENSIONS, current(byName[1]), old(byName[0])],
    ["nothing changes", "Ingress", EXTENSIONS, NETWORKING, old(byName[0]), old(byName[0])],
    [
      "a service without a port",
      "Ingress",
      NETWORKING,
      NETWORKING_V1,
      old({ serviceName: "s" }),
      current({ service: { name: "s", port: {} } }),
    ],
    [
      "an empty name of a port is one, of a service without a name",
      "Ingress",
      EXTENSIONS,
      NETWORKING_V1,
      old({ servicePort: "" }),
      current({ service: { name: "", port: {} } }),
    ],
    ["port 0 alone is nothing", "Ingress", NETWORKING, NETWORKING_V1, old({ servicePort: 0 }), current({})],
    [
      "a port with both forms keeps its name",
      "Ingress",
      NETWORKING_V1,
      NETWORKING,
      current({ service: { name: "s", port: { name: "http", number: 80 } } }),
      old({ serviceName: "s", servicePort: "http" }),
    ],
    [
      "what else there is stays",
      "Ingress",
      EXTENSIONS,
      NETWORKING_V1,
      {
        metadata,
        spec: { ingressClassName: "c", tls: [{ hosts: ["h"], secretName: "t" }], rules: [{ host: "h" }] },
        status: { loadBalancer: { ingress: [{ ip: "10.0.0.1", ports: [{ port: 80, protocol: "TCP" }] }] } },
      },
      {
        metadata,
        spec: { ingressClassName: "c", tls: [{ hosts: ["h"], secretName: "t" }], rules: [{ host: "h" }] },
        status: { loadBalancer: { ingress: [{ ip: "10.0.0.1", ports: [{ port: 80, protocol: "TCP" }] }] } },
      },
    ],
  ]);
});

describe("converting IngressClasses and NetworkPolicies, which have the same fields in old versions", () => {
  const ingressClass = (parameters: object) => ({ metadata: { name: "x" }, spec: { controller: "c/x", parameters } });
  const policy = {
    metadata: { name: "x", annotations: { mine: "1" } },
    spec: {
      podSelector: { matchLabels: { app: "x" } },
      ingress: [
        { ports: [{ port: 80, endPort: 90 }], from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }] },
      ],
      egress: [{ to: [{ namespaceSelector: {} }] }],
      policyTypes: ["Ingress", "Egress"],
    },
  };
  const namespaced = ingressClass({ kind: "P", name: "p", scope: "Namespace", namespace: "n" });
  const unscoped = ingressClass({ kind: "P", name: "p" });
  testConversions([
    ["a class's parameters", "IngressClass", NETWORKING, NETWORKING_V1, namespaced, namespaced],
    ["a class's parameters", "IngressClass", NETWORKING_V1, NETWORKING, namespaced, namespaced],
    ["no scope is made up", "IngressClass", NETWORKING, NETWORKING_V1, unscoped, unscoped],
    ["a policy", "NetworkPolicy", EXTENSIONS, NETWORKING_V1, policy, policy],
    ["a policy", "NetworkPolicy", NETWORKING_V1, EXTENSIONS, policy, policy],
  ]);

  test("converting a list gives it the group and version of its items", () => {
    const list = deepFreeze({
      apiVersion: EXTENSIONS,
      kind: "IngressList",
      metadata: {},
      items: [old({ serviceName: "s", servicePort: "http" })],
    });
    expect(allScheme().convert(list, { group: "networking.k8s.io", version: "v1" })).toStrictEqual({
      apiVersion: NETWORKING_V1,
      kind: "IngressList",
      metadata: {},
      items: [current({ service: { name: "s", port: { name: "http" } } })],
    });
  });

  test("converting an object to another kind, or to a group without its kind, is an error", () => {
    const policyObject = { apiVersion: EXTENSIONS, kind: "NetworkPolicy", ...policy };
    expect(() =>
      allScheme().convert(policyObject, { group: "networking.k8s.io", version: "v1", kind: "Ingress" }),
    ).toThrow(
      new Error("converting extensions/v1beta1/NetworkPolicy to networking.k8s.io/v1/Ingress: unknown conversion"),
    );
    expect(() => allScheme().convert(policyObject, { group: "apps", version: "v1" })).toThrow(
      'v1beta1.NetworkPolicy is not suitable for converting to "apps/v1" in scheme "kubernetes"',
    );
  });
});

const POLICY_BETA = "policy/v1beta1";
const POLICY_V1 = "policy/v1";
const LABEL = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

describe("converting a disruption budget: an empty selector means no pods in policy/v1beta1 and all pods in policy/v1", () => {
  const budget = (selector?: object) => ({
    metadata: { name: "x", annotations: { mine: "1" } },
    spec: { minAvailable: "50%", unhealthyPodEvictionPolicy: "AlwaysAllow", ...(selector && { selector }) },
    status: { disruptionsAllowed: 1 },
  });
  const label = (operator: string, more: object = {}) => ({ key: LABEL, operator, ...more });
  const nothing = { matchExpressions: [label("Exists")] };
  const everything = { matchExpressions: [label("DoesNotExist")] };
  const app = { matchLabels: { app: "x" } };
  const other = { key: "tier", operator: "In", values: ["web"] };
  testConversions([
    ["none", "PodDisruptionBudget", POLICY_BETA, POLICY_V1, budget(), budget()],
    ["none", "PodDisruptionBudget", POLICY_V1, POLICY_BETA, budget(), budget()],
    ["an empty one", "PodDisruptionBudget", POLICY_BETA, POLICY_V1, budget({}), budget(nothing)],
    [
      "an empty one of empty parts",
      "PodDisruptionBudget",
      POLICY_BETA,
      POLICY_V1,
      budget({ matchLabels: {}, matchExpressions: [] }),
      budget(nothing),
    ],
    ["an empty one", "PodDisruptionBudget", POLICY_V1, POLICY_BETA, budget({}), budget(everything)],
    ["everything", "PodDisruptionBudget", POLICY_BETA, POLICY_V1, budget(everything), budget({})],
    ["nothing", "PodDisruptionBudget", POLICY_V1, POLICY_BETA, budget(nothing), budget({})],
    ["labels", "PodDisruptionBudget", POLICY_BETA, POLICY_V1, budget(app), budget(app)],
    ["labels", "PodDisruptionBudget", POLICY_V1, POLICY_BETA, budget(app), budget(app)],
    [
      "the label with others is dropped",
      "PodDisruptionBudget",
      POLICY_BETA,
      POLICY_V1,
      budget({ ...app, matchExpressions: [label("DoesNotExist"), other] }),
      budget({ ...app, matchExpressions: [other] }),
    ],
    [
      "the label with others is dropped",
      "PodDisruptionBudget",
      POLICY_V1,
      POLICY_BETA,
      budget({ ...app, matchExpressions: [label("Exists")] }),
      budget(app),
    ],
    [
      "the label asked otherwise is dropped, and what is left is empty: everything",
      "PodDisruptionBudget",
      POLICY_BETA,
      POLICY_V1,
      budget({ matchExpressions: [label("In", { values: ["a"] })] }),
      budget({}),
    ],
    [
      "the other version's word is not one's own, and what is left is empty: everything",
      "PodDisruptionBudget",
      POLICY_BETA,
      POLICY_V1,
      budget(nothing),
      budget({}),
    ],
    [
      "the other version's word is not one's own, and what is left is empty: everything",
      "PodDisruptionBudget",
      POLICY_V1,
      POLICY_BETA,
      budget(everything),
      budget(everything),
    ],
    [
      "an eviction is alike",
      "Eviction",
      POLICY_BETA,
      POLICY_V1,
      { metadata: { name: "p" }, deleteOptions: { gracePeriodSeconds: 5 } },
      { metadata: { name: "p" }, deleteOptions: { gracePeriodSeconds: 5 } },
    ],
    [
      "an eviction is alike",
      "Eviction",
      POLICY_V1,
      POLICY_BETA,
      { metadata: { name: "p" }, deleteOptions: { dryRun: ["All"] } },
      { metadata: { name: "p" }, deleteOptions: { dryRun: ["All"] } },
    ],
  ]);
});

describe("converting a CronJob changes only the defaults of its pod template", () => {
  const cron = (spec: object) => ({
    metadata: { name: "x" },
    spec: {
      schedule: "* * * * *",
      timeZone: "Etc/UTC",
      jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", ...spec } } } },
    },
    status: { lastScheduleTime: "2024-01-01T00:00:00Z" },
  });
  testConversions([
    [
      "to the new version",
      "CronJob",
      "batch/v1beta1",
      "batch/v1",
      cron({ serviceAccount: "a" }),
      cron({ serviceAccount: "a", serviceAccountName: "a", securityContext: {} }),
    ],
    ["and back", "CronJob", "batch/v1", "batch/v1beta1", cron({}), cron({ securityContext: {} })],
  ]);
});
