import type { KubeObject } from "../../machinery/meta/object.js";

const API_VERSION = "flowcontrol.apiserver.k8s.io/v1";
const ANNOTATIONS = { "apf.kubernetes.io/autoupdate-spec": "true" };

/** Shares, percentage lent, and queues x hand size; levels without queues reject what they cannot take. */
const LEVELS: readonly (readonly [name: string, shares: number, lendable: number, queues?: number, hand?: number])[] = [
  ["catch-all", 5, 0],
  ["global-default", 20, 50, 128, 6],
  ["leader-election", 10, 0, 16, 4],
  ["node-high", 40, 25, 64, 6],
  ["system", 30, 33, 64, 6],
  ["workload-high", 40, 50, 128, 6],
  ["workload-low", 100, 90, 128, 6],
];

const EVERYONE = [group("system:unauthenticated"), group("system:authenticated")];
const KUBE_SYSTEM = { kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "kube-system" } };
const ANY_RESOURCE = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] };
const ANY_URL = { verbs: ["*"], nonResourceURLs: ["*"] };
const LEASES = ["get", "create", "update"];

/** The suggested and mandatory flow control configuration (priority and fairness). */
export function bootstrapFlowControl(): KubeObject[] {
  return [...priorityLevels(), ...flowSchemas()];
}

function priorityLevels(): KubeObject[] {
  const exempt = { nominalConcurrencyShares: 0, lendablePercent: 0 };
  return [
    level("exempt", { type: "Exempt", exempt }),
    ...LEVELS.map(([name, nominalConcurrencyShares, lendablePercent, queues, handSize]) => {
      const queuing = { queues, handSize, queueLengthLimit: 50 };
      const limitResponse = queues === undefined ? { type: "Reject" } : { type: "Queue", queuing };
      return level(name, { type: "Limited", limited: { nominalConcurrencyShares, limitResponse, lendablePercent } });
    }),
  ];
}

function flowSchemas(): KubeObject[] {
  const all = { resourceRules: [ANY_RESOURCE], nonResourceRules: [ANY_URL] };
  const leaderLeases = (namespace: string) => ({
    resourceRules: [
      { verbs: LEASES, apiGroups: ["coordination.k8s.io"], resources: ["leases"], namespaces: [namespace] },
    ],
  });
  const nodeRules = {
    resourceRules: [
      { verbs: ["*"], apiGroups: [""], resources: ["nodes", "nodes/status"], clusterScope: true, namespaces: ["*"] },
      { verbs: ["*"], apiGroups: ["coordination.k8s.io"], resources: ["leases"], namespaces: ["*"] },
    ],
  };
  const endpointRules = {
    resourceRules: [
      { verbs: ["get", "create", "update"], apiGroups: [""], resources: ["endpoints"], namespaces: ["*"] },
    ],
  };
  const probes = {
    nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
  };
  const manager = user("system:kube-controller-manager");
  const scheduler = user("system:kube-scheduler");
  return [
    schema("exempt", "exempt", 1, undefined, [{ subjects: [group("system:masters")], ...all }]),
    schema("probes", "exempt", 2, undefined, [{ subjects: EVERYONE, ...probes }]),
    schema("system-leader-election", "leader-election", 100, "ByUser", [
      { subjects: [manager, scheduler, KUBE_SYSTEM], ...leaderLeases("*") },
    ]),
    schema("endpoint-controller", "workload-high", 150, "ByUser", [{ subjects: [manager], ...endpointRules }]),
    schema("workload-leader-election", "leader-election", 200, "ByUser", [
      { subjects: [KUBE_SYSTEM], ...leaderLeases("*") },
    ]),
    schema("system-node-high", "node-high", 400, "ByUser", [{ subjects: [group("system:nodes")], ...nodeRules }]),
    schema("system-nodes", "system", 500, "ByUser", [{ subjects: [group("system:nodes")], ...all }]),
    schema("kube-controller-manager", "workload-high", 800, "ByNamespace", [{ subjects: [manager], ...all }]),
    schema("kube-scheduler", "workload-high", 800, "ByNamespace", [{ subjects: [scheduler], ...all }]),
    schema("kube-system-service-accounts", "workload-high", 900, "ByNamespace", [{ subjects: [KUBE_SYSTEM], ...all }]),
    schema("service-accounts", "workload-low", 9000, "ByUser", [
      { subjects: [group("system:serviceaccounts")], ...all },
    ]),
    schema("global-default", "global-default", 9900, "ByUser", [{ subjects: EVERYONE, ...all }]),
    schema("catch-all", "catch-all", 10000, "ByUser", [{ subjects: EVERYONE, ...all }]),
  ];
}

function level(name: string, spec: Record<string, unknown>): KubeObject {
  const metadata = { name, annotations: ANNOTATIONS };
  return { apiVersion: API_VERSION, kind: "PriorityLevelConfiguration", metadata, spec };
}

function schema(
  name: string,
  priorityLevel: string,
  matchingPrecedence: number,
  distinguisher: string | undefined,
  rules: readonly unknown[],
): KubeObject {
  return {
    apiVersion: API_VERSION,
    kind: "FlowSchema",
    metadata: { name, annotations: ANNOTATIONS },
    spec: {
      priorityLevelConfiguration: { name: priorityLevel },
      matchingPrecedence,
      ...(distinguisher !== undefined && { distinguisherMethod: { type: distinguisher } }),
      rules,
    },
  };
}

function group(name: string) {
  return { kind: "Group", group: { name } };
}

function user(name: string) {
  return { kind: "User", user: { name } };
}
