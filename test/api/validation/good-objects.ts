import { applyDefaults } from "../../helpers/apply-defaults.js";
import { v36 } from "../../helpers/server-traits.js";
import { resources } from "../../../src/api/facts/index.js";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { builtinRecord } from "../../../src/server/builtin/index.js";
import type { StrategyContext } from "../../../src/server/registry/strategy.js";
import { REQUESTS } from "./certificate-requests.js";
import { AUTHORITY } from "./certificates.js";

const context = v36 as StrategyContext;

/** As {@link context} for a request that came in another version of the kind. */
const contextOf = (apiVersion: string | undefined): StrategyContext =>
  apiVersion === undefined ? context : ({ ...v36, apiVersion } as StrategyContext);

/** Places in an object and what to put there: "spec.ports.0.name"; undefined takes away. "/" stands for a dot in a key. */
export type Changes = Readonly<Record<string, unknown>>;

const RULE = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
const WEBHOOK = { name: "a.example.com", sideEffects: "None", admissionReviewVersions: ["v1"], rules: [RULE] };
const ROLE_RULE = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };

/** "<group>/<resource>" of each kind in the tables, and a good object of it. */
export const GOOD: Readonly<Record<string, KubeObject>> = {
  services: {
    spec: {
      type: "ClusterIP",
      clusterIP: "10.0.0.7",
      clusterIPs: ["10.0.0.7"],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      ports: [{ port: 80 }],
    },
  },
  configmaps: { data: { a: "1" } },
  secrets: { type: "Opaque", data: { a: "MQ==" } },
  endpoints: { subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }] },
  events: { metadata: { namespace: "n" }, involvedObject: { namespace: "n" } },
  limitranges: { spec: { limits: [{ type: "Container", max: { cpu: "2" } }] } },
  namespaces: { metadata: { name: "n" }, spec: { finalizers: ["kubernetes"] } },
  nodes: { spec: { podCIDRs: ["10.1.0.0/24"] } },
  persistentvolumeclaims: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  persistentvolumes: {
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/data" } },
  },
  resourcequotas: { spec: { hard: { pods: "10" } } },
  "admissionregistration.k8s.io/validatingwebhookconfigurations": {
    webhooks: [{ ...WEBHOOK, clientConfig: { url: "https://example.com/hook" } }],
  },
  "admissionregistration.k8s.io/mutatingwebhookconfigurations": {
    webhooks: [{ ...WEBHOOK, clientConfig: { service: { name: "s", namespace: "n" } } }],
  },
  "admissionregistration.k8s.io/validatingadmissionpolicies": {
    metadata: { name: "p" },
    spec: { matchConstraints: { resourceRules: [RULE] }, validations: [{ expression: "true" }] },
  },
  "admissionregistration.k8s.io/validatingadmissionpolicybindings": {
    spec: { policyName: "p", validationActions: ["Deny"] },
  },
  "apiextensions.k8s.io/customresourcedefinitions": {
    metadata: { name: "crons.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "crons", kind: "Cron" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
      ],
    },
    status: { acceptedNames: {}, storedVersions: ["v1"] },
  },
  "apiregistration.k8s.io/apiservices": {
    metadata: { name: "v1.example.com" },
    spec: {
      group: "example.com",
      version: "v1",
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { name: "s", namespace: "n" },
    },
  },
  "autoscaling/horizontalpodautoscalers": {
    spec: {
      minReplicas: 1,
      maxReplicas: 3,
      scaleTargetRef: { kind: "Deployment", name: "d" },
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
    },
  },
  "certificates.k8s.io/certificatesigningrequests": {
    spec: {
      request: Buffer.from(REQUESTS["Ed25519"] ?? "").toString("base64"),
      signerName: "example.com/signer",
      usages: ["client auth"],
    },
  },
  "certificates.k8s.io/clustertrustbundles": { metadata: { name: "b" }, spec: { trustBundle: AUTHORITY } },
  "coordination.k8s.io/leasecandidates": {
    spec: { leaseName: "l", binaryVersion: "1.36.0", emulationVersion: "1.35.0", strategy: "OldestEmulationVersion" },
  },
  "coordination.k8s.io/leases": { spec: { leaseDurationSeconds: 10, leaseTransitions: 0 } },
  "discovery.k8s.io/endpointslices": {
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"] }],
    ports: [{ name: "http", port: 80 }],
  },
  "flowcontrol.apiserver.k8s.io/flowschemas": {
    metadata: { name: "f" },
    spec: {
      matchingPrecedence: 500,
      priorityLevelConfiguration: { name: "l" },
      rules: [
        {
          subjects: [{ kind: "User", user: { name: "u" } }],
          resourceRules: [{ ...ROLE_RULE, namespaces: ["n"] }],
          nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }],
        },
      ],
    },
  },
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": {
    metadata: { name: "l" },
    spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } },
  },
  "networking.k8s.io/ingresses": {
    spec: {
      rules: [
        {
          host: "a.example.com",
          http: {
            paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }],
          },
        },
      ],
    },
  },
  "networking.k8s.io/ingressclasses": {
    spec: { controller: "example.com/c", parameters: { kind: "K", name: "k" } },
  },
  "networking.k8s.io/networkpolicies": {
    spec: {
      ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }], ports: [{ port: 80 }] }],
    },
  },
  "networking.k8s.io/ipaddresses": { spec: { parentRef: { resource: "services", namespace: "n", name: "s" } } },
  "networking.k8s.io/servicecidrs": { spec: { cidrs: ["10.0.0.0/16"] } },
  "node.k8s.io/runtimeclasses": { handler: "runc" },
  "policy/poddisruptionbudgets": { spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } },
  "rbac.authorization.k8s.io/roles": { rules: [ROLE_RULE] },
  "rbac.authorization.k8s.io/clusterroles": { rules: [ROLE_RULE] },
  "rbac.authorization.k8s.io/rolebindings": {
    roleRef: { kind: "Role", name: "r" },
    subjects: [{ kind: "User", name: "u" }],
  },
  "rbac.authorization.k8s.io/clusterrolebindings": {
    roleRef: { kind: "ClusterRole", name: "r" },
    subjects: [{ kind: "ServiceAccount", name: "u", namespace: "n" }],
  },
  "resource.k8s.io/deviceclasses": { spec: {} },
  "resource.k8s.io/resourceclaims": {
    spec: {
      devices: { requests: [{ name: "r", exactly: { deviceClassName: "c", allocationMode: "ExactCount", count: 1 } }] },
    },
  },
  "resource.k8s.io/resourceslices": {
    spec: {
      driver: "d.example.com",
      pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      nodeName: "n",
      devices: [{ name: "d", attributes: { a: { string: "x" } }, capacity: { memory: { value: "1Gi" } } }],
    },
  },
  "scheduling.k8s.io/priorityclasses": { metadata: { name: "p" }, value: 1 },
  "storage.k8s.io/csidrivers": { spec: {} },
  "storage.k8s.io/csinodes": { spec: { drivers: [{ name: "d.example.com", nodeID: "n", topologyKeys: ["a/z"] }] } },
  "storage.k8s.io/csistoragecapacities": { storageClassName: "s", capacity: "1Gi" },
  "storage.k8s.io/storageclasses": { provisioner: "example.com/p" },
  "storage.k8s.io/volumeattachments": {
    spec: { attacher: "d.example.com", nodeName: "n", source: { persistentVolumeName: "v" } },
  },
  "storage.k8s.io/volumeattributesclasses": { driverName: "d.example.com", parameters: { a: "b" } },
};

/** The good object of a kind, changed and with its defaults. */
function made(resource: string, changes: Changes): KubeObject {
  const draft = structuredClone(GOOD[resource] ?? {});
  for (const [path, value] of Object.entries(changes)) put(draft, path.split("."), structuredClone(value));
  const [group, name] = split(resource);
  const kind = resources().find((one) => one.group === group && one.name === name)?.kind ?? "";
  return applyDefaults({ group, version: "v1", kind }, draft);
}

function split(resource: string): [group: string, name: string] {
  const [group = "", name = ""] = resource.includes("/") ? resource.split("/") : ["", resource];
  return [group, name];
}

function put(target: unknown, [first = "", ...rest]: readonly string[], value: unknown): void {
  const holder = target as Record<string, unknown>;
  const key = first.replaceAll("/", ".");
  if (rest.length > 0) {
    holder[key] ??= /^\d+$/.test(rest[0] ?? "") ? [] : {};
    put(holder[key], rest, value);
  } else if (value === undefined) delete holder[key];
  else holder[key] = value;
}

const strategyOf = (resource: string) => builtinRecord(...split(resource))?.strategy;

export function createErrors(resource: string, changes: Changes, apiVersion?: string): string[] {
  const problems = strategyOf(resource)?.validate?.(made(resource, changes), contextOf(apiVersion));
  return (problems ?? []).map(formatFieldError);
}

export function updateErrors(resource: string, before: Changes, after: Changes, apiVersion?: string): string[] {
  const validate = strategyOf(resource)?.validateUpdate;
  const problems = validate?.(made(resource, after), made(resource, before), contextOf(apiVersion));
  return (problems ?? []).map(formatFieldError);
}

export function statusErrors(resource: string, before: Changes, after: Changes): string[] {
  const validate = strategyOf(resource)?.validateStatusUpdate;
  return (validate?.(made(resource, after), made(resource, before), context) ?? []).map(formatFieldError);
}

export function warnings(resource: string, changes: Changes): readonly string[] {
  return strategyOf(resource)?.warningsOnCreate?.(made(resource, changes), context) ?? [];
}
