import type { JsonObject } from "../../src/machinery/meta/json.js";
import { deploymentNamed, podNamed } from "./targets.js";

const TEMPLATE = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "main", image: "web:1", resources: { requests: { cpu: "100m" } } }] },
};
const ONCE = { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: "Never" } };
const REFERENCE = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
const SUBJECTS = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }];
const RULES = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
const WEBHOOK = {
  name: "a.example.com",
  clientConfig: { url: "https://example.com/x" },
  rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["CREATE"], resources: ["pods/*"], scope: "*" }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  namespaceSelector: { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] },
};

/** Valid objects without a name, by "<group>/<plural>". */
export const SAMPLES: Readonly<Record<string, JsonObject>> = {
  "/configmaps": { data: { a: "1" }, binaryData: { b: "AAEC" } },
  "/secrets": { type: "kubernetes.io/basic-auth", stringData: { username: "a", password: "b" } },
  "/pods": podNamed("") as JsonObject,
  "/podtemplates": { template: TEMPLATE },
  "/services": {
    spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: "http", protocol: "TCP" }] },
  },
  "/endpoints": { subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 80 }] }] },
  "/events": { involvedObject: { namespace: "hostile", kind: "Pod", name: "a" }, reason: "Because", type: "Normal" },
  "/limitranges": { spec: { limits: [{ type: "Container", max: { cpu: "2" }, default: { cpu: "1" } }] } },
  "/resourcequotas": { spec: { hard: { pods: "10", "requests.cpu": "1" }, scopes: ["NotTerminating"] } },
  "/nodes": { spec: { podCIDRs: ["10.1.0.0/24"], taints: [{ key: "a", effect: "NoSchedule" }] } },
  "/namespaces": { spec: { finalizers: ["kubernetes"] } },
  "/persistentvolumes": {
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp/a" } },
  },
  "/persistentvolumeclaims": {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
  "/replicationcontrollers": { spec: { selector: { app: "web" }, template: TEMPLATE } },
  "/serviceaccounts": { imagePullSecrets: [{ name: "a" }] },
  "apps/deployments": deploymentNamed("") as JsonObject,
  "apps/daemonsets": { spec: { selector: { matchLabels: { app: "web" } }, template: TEMPLATE } },
  "apps/replicasets": { spec: { selector: { matchLabels: { app: "web" } }, template: TEMPLATE } },
  "apps/statefulsets": {
    spec: {
      serviceName: "a",
      selector: { matchLabels: { app: "web" } },
      template: TEMPLATE,
      podManagementPolicy: "Parallel",
    },
  },
  "apps/controllerrevisions": { revision: 1, data: { a: 1 } },
  "batch/jobs": { spec: { template: ONCE, completions: 2, completionMode: "Indexed" } },
  "batch/cronjobs": {
    spec: { schedule: "*/5 * * * 1-5", timeZone: "Etc/UTC", jobTemplate: { spec: { template: ONCE } } },
  },
  "autoscaling/horizontalpodautoscalers": {
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" }, minReplicas: 1, maxReplicas: 3 },
  },
  "networking.k8s.io/ingresses": {
    spec: {
      rules: [
        {
          host: "a.example.com",
          http: {
            paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "a", port: { number: 80 } } } }],
          },
        },
      ],
    },
  },
  "networking.k8s.io/networkpolicies": {
    spec: {
      podSelector: { matchLabels: { app: "web" } },
      ingress: [
        { from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }], ports: [{ port: 80, endPort: 90 }] },
      ],
    },
  },
  "networking.k8s.io/ipaddresses": { spec: { parentRef: { resource: "services", namespace: "hostile", name: "a" } } },
  "networking.k8s.io/servicecidrs": { spec: { cidrs: ["10.200.0.0/24"] } },
  "networking.k8s.io/ingressclasses": { spec: { controller: "example.com/a" } },
  "policy/poddisruptionbudgets": { spec: { minAvailable: "50%", selector: { matchLabels: { app: "none" } } } },
  "rbac.authorization.k8s.io/roles": { rules: RULES },
  "rbac.authorization.k8s.io/clusterroles": { rules: RULES, aggregationRule: { clusterRoleSelectors: [{}] } },
  "rbac.authorization.k8s.io/rolebindings": { roleRef: REFERENCE, subjects: SUBJECTS },
  "rbac.authorization.k8s.io/clusterrolebindings": { roleRef: REFERENCE, subjects: SUBJECTS },
  "storage.k8s.io/storageclasses": { provisioner: "example.com/a", parameters: { a: "b" } },
  "storage.k8s.io/csidrivers": { spec: { attachRequired: false, tokenRequests: [{ audience: "a" }] } },
  "storage.k8s.io/csinodes": { spec: { drivers: [{ name: "a.example.com", nodeID: "n", topologyKeys: ["zone"] }] } },
  "storage.k8s.io/volumeattachments": {
    spec: { attacher: "a.example.com", nodeName: "n", source: { persistentVolumeName: "v" } },
  },
  "scheduling.k8s.io/priorityclasses": { value: 1000 },
  "coordination.k8s.io/leases": { spec: { holderIdentity: "a", leaseDurationSeconds: 10 } },
  "node.k8s.io/runtimeclasses": { handler: "a", overhead: { podFixed: { cpu: "1m" } } },
  "discovery.k8s.io/endpointslices": {
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.2.3"], conditions: { ready: true } }],
    ports: [{ name: "http", port: 80, protocol: "TCP" }],
  },
  "admissionregistration.k8s.io/validatingwebhookconfigurations": { webhooks: [WEBHOOK] },
  "admissionregistration.k8s.io/mutatingwebhookconfigurations": { webhooks: [WEBHOOK] },
  "apiextensions.k8s.io/customresourcedefinitions": {
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "string", pattern: "^a+$" } } } },
        },
      ],
    },
  },
  "certificates.k8s.io/certificatesigningrequests": {
    spec: { request: "AAEC", signerName: "example.com/a", usages: ["client auth"] },
  },
};
