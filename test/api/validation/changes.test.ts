import { describe, expect, it } from "vitest";
import { type Changes, statusErrors, updateErrors } from "./good-objects.js";

const SVC = "services";
const LB = { "spec.type": "LoadBalancer" };
const DUAL = {
  "spec.clusterIPs": ["10.0.0.7", "fd00::7"],
  "spec.ipFamilies": ["IPv4", "IPv6"],
  "spec.ipFamilyPolicy": "RequireDualStack",
};
const FROZEN = "Forbidden: field is immutable when `immutable` is set";
const CSR = "certificates.k8s.io/certificatesigningrequests";
const HPA = "autoscaling/horizontalpodautoscalers";
const PVC = "persistentvolumeclaims";
const PV = "persistentvolumes";
const ONLY =
  "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
const BOUND = { "status.phase": "Bound", "spec.volumeName": "v" };

/** Kind, what it was, what it is to be, the errors. */
const ROWS: readonly (readonly [
  what: string,
  resource: string,
  before: Changes,
  after: Changes,
  errors: readonly string[],
])[] = [
  [
    "a second port",
    SVC,
    {},
    {
      "spec.ports": [
        { name: "a", port: 80 },
        { name: "b", port: 81 },
      ],
    },
    [],
  ],
  [
    "another cluster IP",
    SVC,
    {},
    { "spec.clusterIP": "10.0.0.8", "spec.clusterIPs": ["10.0.0.8"] },
    ['spec.clusterIPs[0]: Invalid value: ["10.0.0.8"]: may not change once set'],
  ],
  [
    "no cluster IP any more",
    SVC,
    {},
    { "spec.clusterIP": undefined, "spec.clusterIPs": [], "spec.ipFamilies": ["IPv4"] },
    ["spec.clusterIPs[0]: Invalid value: []: primary clusterIP can not be unset"],
  ],
  ["a second family", SVC, {}, DUAL, []],
  ["one family less", SVC, DUAL, { "spec.ipFamilyPolicy": "SingleStack" }, []],
  [
    "one family less, still dual-stack",
    SVC,
    DUAL,
    { "spec.ipFamilyPolicy": "PreferDualStack" },
    [
      "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be set to 'SingleStack' when releasing the secondary clusterIP",
      "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be set to 'SingleStack' when releasing the secondary ipFamily",
    ],
  ],
  [
    "another first family",
    SVC,
    {},
    { "spec.ipFamilies": ["IPv6"] },
    [
      'spec.ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set',
      'spec.clusterIPs[0]: Invalid value: "10.0.0.7": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ],
  ],
  [
    "a name of its own instead",
    SVC,
    {},
    {
      "spec.type": "ExternalName",
      "spec.externalName": "a.b",
      "spec.clusterIP": undefined,
      "spec.clusterIPs": undefined,
      "spec.ipFamilies": undefined,
      "spec.ipFamilyPolicy": undefined,
    },
    [],
  ],
  [
    "another class of load balancer",
    SVC,
    { ...LB, "spec.loadBalancerClass": "a" },
    { ...LB, "spec.loadBalancerClass": "b" },
    ['spec.loadBalancerClass: Invalid value: "b": may not change once set'],
  ],
  [
    "a class for a load balancer that had none",
    SVC,
    LB,
    { ...LB, "spec.loadBalancerClass": "b" },
    ['spec.loadBalancerClass: Invalid value: "b": may not change once set'],
  ],
  [
    "another port for health checks",
    SVC,
    { ...LB, "spec.externalTrafficPolicy": "Local", "spec.healthCheckNodePort": 30001 },
    { ...LB, "spec.externalTrafficPolicy": "Local", "spec.healthCheckNodePort": 30002 },
    ["spec.healthCheckNodePort: Forbidden: field is immutable"],
  ],
  ["an old external IP stays", SVC, { "spec.externalIPs": ["010.1.1.1"] }, { "spec.externalIPs": ["010.1.1.1"] }, []],
  [
    "a new external IP with zeros",
    SVC,
    {},
    { "spec.externalIPs": ["010.1.1.1"] },
    ['spec.externalIPs[0]: Invalid value: "010.1.1.1": must not have leading 0s'],
  ],

  ["data", "configmaps", {}, { "data.a": "2" }, []],
  ["data of a frozen map", "configmaps", { immutable: true }, { immutable: true, "data.a": "2" }, [`data: ${FROZEN}`]],
  ["a frozen map thawed", "configmaps", { immutable: true }, {}, [`immutable: ${FROZEN}`]],
  [
    "binary data of a frozen map",
    "configmaps",
    { immutable: true },
    { immutable: true, "binaryData.b": "AA==" },
    [`binaryData: ${FROZEN}`],
  ],
  ["a map frozen", "configmaps", {}, { immutable: true, "data.a": "2" }, []],
  [
    "data of a frozen secret",
    "secrets",
    { immutable: true },
    { immutable: true, "data.a": "Mg==" },
    [`data: ${FROZEN}`],
  ],
  [
    "a secret's type",
    "secrets",
    {},
    { type: "example.com/t" },
    ['type: Invalid value: "example.com/t": field is immutable'],
  ],

  [
    "addresses that are odd stay",
    "endpoints",
    { "subsets.0.addresses.0.ip": "010.0.0.1" },
    { "subsets.0.addresses.0.ip": "010.0.0.1" },
    [],
  ],
  [
    "odd addresses are not added",
    "endpoints",
    {},
    { "subsets.0.addresses.0.ip": "010.0.0.1" },
    ['subsets[0].addresses[0].ip: Invalid value: "010.0.0.1": must not have leading 0s'],
  ],

  [
    "a node's CIDR",
    "nodes",
    {},
    { "spec.podCIDRs": ["10.2.0.0/24"] },
    ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
  ],
  ["a node's first CIDR", "nodes", { "spec.podCIDRs": undefined }, {}, []],
  [
    "a node's provider",
    "nodes",
    { "spec.providerID": "a" },
    { "spec.providerID": "b" },
    ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
  ],
  ["a node's first provider", "nodes", {}, { "spec.providerID": "b" }, []],
  ["a node's taint", "nodes", {}, { "spec.taints": [{ key: "k", effect: "NoSchedule" }] }, []],
  ["a node's external ID", "nodes", {}, { "spec.externalID": "x" }, ["spec.externalID: Forbidden: may not be updated"]],

  ["a bound claim grows", PVC, BOUND, { ...BOUND, "spec.resources.requests.storage": "2Gi" }, []],
  [
    "an unbound claim does not",
    PVC,
    {},
    { "spec.resources.requests.storage": "2Gi" },
    [
      `${ONLY}\n@@ -6,7 +6,7 @@\n  "Resources": {\n   "Limits": null,\n   "Requests": {\n-   "storage": "1Gi"\n+   "storage": "2Gi"\n   }\n  },\n  "VolumeName": "",\n`,
    ],
  ],
  [
    "a bound claim shrinks",
    PVC,
    { ...BOUND, "status.capacity.storage": "1Gi" },
    { ...BOUND, "spec.resources.requests.storage": "1Mi" },
    ["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"],
  ],
  ["a claim gets its volume", PVC, {}, { "spec.volumeName": "v" }, []],
  [
    "a claim's volume changes",
    PVC,
    BOUND,
    { ...BOUND, "spec.volumeName": "w" },
    [
      `${ONLY}\n@@ -9,7 +9,7 @@\n    "storage": "1Gi"\n   }\n  },\n- "VolumeName": "v",\n+ "VolumeName": "w",\n  "StorageClassName": null,\n  "VolumeMode": "Filesystem",\n  "DataSource": null,\n`,
    ],
  ],
  ["a claim gets a class", PVC, {}, { "spec.storageClassName": "c" }, []],
  [
    "a claim's class changes",
    PVC,
    { "spec.storageClassName": "c" },
    { "spec.storageClassName": "d" },
    [
      `${ONLY}\n@@ -10,7 +10,7 @@\n   }\n  },\n  "VolumeName": "",\n- "StorageClassName": "c",\n+ "StorageClassName": "d",\n  "VolumeMode": "Filesystem",\n  "DataSource": null,\n  "DataSourceRef": null,\n`,
    ],
  ],
  [
    "a claim's modes",
    PVC,
    {},
    { "spec.accessModes": ["ReadOnlyMany"] },
    [
      `${ONLY}\n@@ -1,6 +1,6 @@\n {\n  "AccessModes": [\n-  "ReadWriteOnce"\n+  "ReadOnlyMany"\n  ],\n  "Selector": null,\n  "Resources": {\n`,
    ],
  ],
  [
    "a claim's volume mode",
    PVC,
    {},
    { "spec.volumeMode": "Block" },
    [
      `${ONLY}\n@@ -11,7 +11,7 @@\n  },\n  "VolumeName": "",\n  "StorageClassName": null,\n- "VolumeMode": "Filesystem",\n+ "VolumeMode": "Block",\n  "DataSource": null,\n  "DataSourceRef": null,\n  "VolumeAttributesClassName": null\n`,
      'volumeMode: Invalid value: "Block": field is immutable',
    ],
  ],
  [
    "a bound claim's attributes class",
    PVC,
    { ...BOUND, "spec.volumeAttributesClassName": "a" },
    { ...BOUND, "spec.volumeAttributesClassName": "b" },
    [],
  ],
  [
    "a volume's path",
    PV,
    {},
    { "spec.hostPath.path": "/other" },
    ["spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation"],
  ],
  [
    "a volume's mode",
    PV,
    {},
    { "spec.volumeMode": "Block" },
    ['volumeMode: Invalid value: "Block": field is immutable'],
  ],
  ["a volume's capacity", PV, {}, { "spec.capacity.storage": "2Gi" }, []],
  ["a volume's reclaim policy", PV, {}, { "spec.persistentVolumeReclaimPolicy": "Delete" }, []],
  ["a quota's amounts", "resourcequotas", {}, { "spec.hard.pods": "20" }, []],
  [
    "a quota's scopes",
    "resourcequotas",
    {},
    { "spec.scopes": ["BestEffort"] },
    ['spec.scopes: Invalid value: ["BestEffort"]: field is immutable'],
  ],

  [
    "a scale to nothing",
    HPA,
    {},
    { "spec.minReplicas": 0 },
    [
      "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
      "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
    ],
  ],
  [
    "a certificate request's approval",
    CSR,
    {},
    { "status.conditions": [{ type: "Approved", status: "True" }] },
    ['status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
  ],
  [
    "a certificate request's failure forgotten",
    CSR,
    { "status.conditions": [{ type: "Failed", status: "True" }] },
    {},
    ['status.conditions: Forbidden: updates may not remove a condition of type "Failed"'],
  ],
  [
    "a lease's holder",
    "coordination.k8s.io/leases",
    { "spec.holderIdentity": "a" },
    { "spec.holderIdentity": "b" },
    [],
  ],
  [
    "a slice's type",
    "discovery.k8s.io/endpointslices",
    {},
    { addressType: "FQDN", "endpoints.0.addresses": ["a.b"] },
    ['addressType: Invalid value: "FQDN": field is immutable'],
  ],
  [
    "a class's controller",
    "networking.k8s.io/ingressclasses",
    {},
    { "spec.controller": "example.com/d" },
    ['spec.controller: Invalid value: "example.com/d": field is immutable'],
  ],
  [
    "an address's parent",
    "networking.k8s.io/ipaddresses",
    {},
    { "spec.parentRef.name": "t" },
    [
      'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"n","Name":"t"}: field is immutable',
    ],
  ],
  ["a second range", "networking.k8s.io/servicecidrs", {}, { "spec.cidrs": ["10.0.0.0/16", "fd00::/112"] }, []],
  [
    "another range",
    "networking.k8s.io/servicecidrs",
    {},
    { "spec.cidrs": ["10.1.0.0/16"] },
    ['spec.cidrs[0]: Invalid value: "10.1.0.0/16": field is immutable'],
  ],
  [
    "a range less",
    "networking.k8s.io/servicecidrs",
    { "spec.cidrs": ["10.0.0.0/16", "fd00::/112"] },
    {},
    ['spec.cidrs: Invalid value: ["10.0.0.0/16"]: field is immutable'],
  ],
  [
    "a policy's odd block stays",
    "networking.k8s.io/networkpolicies",
    { "spec.ingress.0.from.0.ipBlock": { cidr: "10.0.0.1/8" } },
    { "spec.ingress.0.from.0.ipBlock": { cidr: "10.0.0.1/8" } },
    [],
  ],
  [
    "an odd block is not added",
    "networking.k8s.io/networkpolicies",
    {},
    { "spec.ingress.0.from.0.ipBlock": { cidr: "10.0.0.1/8" } },
    [
      'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
    ],
  ],
  [
    "an ingress with an old secret name",
    "networking.k8s.io/ingresses",
    { "spec.tls": [{ secretName: "A" }] },
    { "spec.tls": [{ secretName: "B" }] },
    [],
  ],
  [
    "a runtime's handler",
    "node.k8s.io/runtimeclasses",
    {},
    { handler: "gvisor" },
    ['handler: Invalid value: "gvisor": field is immutable'],
  ],
  [
    "a binding's role",
    "rbac.authorization.k8s.io/rolebindings",
    {},
    { "roleRef.name": "s" },
    [
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"s"}: cannot change roleRef',
    ],
  ],
  ["a binding's subjects", "rbac.authorization.k8s.io/rolebindings", {}, { "subjects.0.name": "w" }, []],
  [
    "a slice's driver",
    "resource.k8s.io/resourceslices",
    {},
    { "spec.driver": "e.example.com" },
    ['spec.driver: Invalid value: "e.example.com": field is immutable'],
  ],
  [
    "a slice's node",
    "resource.k8s.io/resourceslices",
    {},
    { "spec.nodeName": "m" },
    ['spec.nodeName: Invalid value: "m": field is immutable'],
  ],
  [
    "a slice's pool",
    "resource.k8s.io/resourceslices",
    {},
    { "spec.pool.name": "q" },
    ['spec.pool.name: Invalid value: "q": field is immutable'],
  ],
  [
    "a priority's value",
    "scheduling.k8s.io/priorityclasses",
    {},
    { value: 2 },
    ["value: Forbidden: may not be changed in an update."],
  ],
  [
    "a priority's preemption",
    "scheduling.k8s.io/priorityclasses",
    {},
    { preemptionPolicy: "Never" },
    ['preemptionPolicy: Invalid value: "Never": field is immutable'],
  ],
  ["a priority's description", "scheduling.k8s.io/priorityclasses", {}, { description: "d" }, []],
  [
    "a driver's attachment",
    "storage.k8s.io/csidrivers",
    {},
    { "spec.attachRequired": false },
    ["spec.attachedRequired: Invalid value: false: field is immutable"],
  ],
  ["a driver's pod info", "storage.k8s.io/csidrivers", {}, { "spec.podInfoOnMount": true }, []],
  ["a node driver's limit", "storage.k8s.io/csinodes", {}, { "spec.drivers.0.allocatable": { count: 3 } }, []],
  [
    "a node driver's ID",
    "storage.k8s.io/csinodes",
    {},
    { "spec.drivers.0.nodeID": "m" },
    [
      'spec.drivers: Invalid value: {"Name":"d.example.com","NodeID":"m","TopologyKeys":["a/z"],"Allocatable":null}: field is immutable',
    ],
  ],
  [
    "a capacity's class",
    "storage.k8s.io/csistoragecapacities",
    {},
    { storageClassName: "t" },
    ['storageClassName: Invalid value: "t": field is immutable'],
  ],
  ["a capacity", "storage.k8s.io/csistoragecapacities", {}, { capacity: "2Gi" }, []],
  [
    "a class's provisioner",
    "storage.k8s.io/storageclasses",
    {},
    { provisioner: "q" },
    ["provisioner: Forbidden: updates to provisioner are forbidden."],
  ],
  [
    "a class's parameters",
    "storage.k8s.io/storageclasses",
    {},
    { parameters: { a: "b" } },
    ["parameters: Forbidden: updates to parameters are forbidden."],
  ],
  [
    "a class's reclaim policy",
    "storage.k8s.io/storageclasses",
    {},
    { reclaimPolicy: "Retain" },
    ["reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden."],
  ],
  [
    "a class's binding mode",
    "storage.k8s.io/storageclasses",
    {},
    { volumeBindingMode: "WaitForFirstConsumer" },
    ['volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable'],
  ],
  ["a class's expansion", "storage.k8s.io/storageclasses", {}, { allowVolumeExpansion: true }, []],
  [
    "an attachment's node",
    "storage.k8s.io/volumeattachments",
    {},
    { "spec.nodeName": "m" },
    [
      'spec: Invalid value: {"Attacher":"d.example.com","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
    ],
  ],
  [
    "an attributes class's driver",
    "storage.k8s.io/volumeattributesclasses",
    {},
    { driverName: "e" },
    ["driverName: Forbidden: updates to driverName are forbidden."],
  ],
  [
    "an attributes class's parameters",
    "storage.k8s.io/volumeattributesclasses",
    {},
    { "parameters.a": "c" },
    ["parameters: Forbidden: updates to parameters are forbidden."],
  ],
];

describe("validation of an update of a built-in object", () => {
  it.each(ROWS)("returns kube-apiserver's errors for: %s", (_, resource, before, after, expected) => {
    expect(updateErrors(resource, before, after)).toEqual(expected);
  });
});

describe("validation of a status update of a built-in object", () => {
  const rows: readonly (readonly [
    what: string,
    resource: string,
    before: Changes,
    after: Changes,
    errors: readonly string[],
  ])[] = [
    ["an address of a load balancer", SVC, LB, { ...LB, "status.loadBalancer.ingress": [{ ip: "1.2.3.4" }] }, []],
    [
      "an address of what has no load balancer",
      SVC,
      {},
      { "status.loadBalancer.ingress": [{ ip: "1.2.3.4" }] },
      ["status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"],
    ],
    [
      "a mode without an address",
      SVC,
      LB,
      { ...LB, "status.loadBalancer.ingress": [{ hostname: "a", ipMode: "VIP" }] },
      ["status.loadBalancer.ingress[0].ipMode: Forbidden: may not be specified when `ip` is not set"],
    ],
    [
      "an address as a name",
      "networking.k8s.io/ingresses",
      {},
      { "status.loadBalancer.ingress": [{ hostname: "1.2.3.4" }] },
      ['status.loadBalancer.ingress[0].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
    ],
    [
      "a namespace that is not deleted",
      "namespaces",
      {},
      { "status.phase": "Terminating" },
      ["status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"],
    ],
    [
      "negative replicas",
      HPA,
      {},
      { "status.currentReplicas": -1 },
      ["status.currentReplicas: Invalid value: -1: must be greater than or equal to 0"],
    ],
    [
      "negative disruptions",
      "policy/poddisruptionbudgets",
      {},
      { "status.disruptionsAllowed": -1 },
      ["status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0"],
    ],
    [
      "a used amount",
      "resourcequotas",
      {},
      { "status.used": { pods: "-1" } },
      ['status.used[pods]: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    [
      "a certificate",
      CSR,
      {},
      { "status.certificate": "eA==" },
      ['status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block'],
    ],
  ];
  it.each(rows)("returns kube-apiserver's errors for: %s", (_, resource, before, after, expected) => {
    expect(statusErrors(resource, before, after)).toEqual(expected);
  });
});
