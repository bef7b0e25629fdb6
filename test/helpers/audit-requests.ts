import type { CallOptions } from "./api-caller.js";

/** A request that several servers get, one after the other, so that their audit events can be compared. */
export interface AuditRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly options?: CallOptions;
}

const NAMESPACE = "/api/v1/namespaces/audited";
const MAPS = `${NAMESPACE}/configmaps`;
const DEPLOYMENTS = "/apis/apps/v1/namespaces/audited/deployments";
const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1, application/json";
const PROTOBUF = "application/vnd.kubernetes.protobuf";

const get = (path: string, options?: CallOptions): AuditRequest => ({
  method: "GET",
  path,
  ...(options && { options }),
});
const post = (path: string, body: unknown, options?: CallOptions): AuditRequest => ({
  method: "POST",
  path,
  body,
  ...(options && { options }),
});
const put = (path: string, body: unknown): AuditRequest => ({ method: "PUT", path, body });
const remove = (path: string, body?: unknown): AuditRequest => ({ method: "DELETE", path, body });
const patch = (path: string, type: string, body: unknown): AuditRequest => ({
  method: "PATCH",
  path,
  body,
  options: { type: `application/${type}` },
});
const as = (user: string, headers: Readonly<Record<string, string>> = {}): CallOptions => ({
  headers: { "impersonate-user": user, ...headers },
});

const configMap = (name: string, data: object = { key: "value" }): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

const deployment = (name: string, spec: object = {}): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, labels: { app: name } },
  spec: {
    ...spec,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i<&>" }] } },
  },
});

/** Requests of one kind of resource: every verb, and what each is refused for. */
const configMaps = (name: string): readonly AuditRequest[] => [
  post(MAPS, configMap(name)),
  post(MAPS, configMap(name)),
  post(MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "Not_A_Name" } }),
  post(MAPS, { apiVersion: "v1", kind: "Secret", metadata: { name } }),
  post(MAPS, "{"),
  post(`${MAPS}?dryRun=All`, configMap(`${name}-dry`)),
  post(`${MAPS}?dryRun=Some`, configMap(`${name}-dry`)),
  post("/api/v1/namespaces/missing/configmaps", configMap(name)),
  get(`${MAPS}/${name}`),
  get(`${MAPS}/${name}`, { accept: TABLE }),
  get(`${MAPS}/${name}?pretty=true`),
  get(`${MAPS}/${name}`, { accept: "application/yaml" }),
  get(`${MAPS}/${name}-missing`),
  get(`${MAPS}?fieldSelector=metadata.name%3D${name}`),
  get(`${MAPS}?labelSelector=a%3Db`),
  get(`${MAPS}?limit=x`),
  get(`${MAPS}?labelSelector=%3D%3D`),
  put(`${MAPS}/${name}`, configMap(name, { key: "other" })),
  put(`${MAPS}/${name}`, configMap(`${name}-other`)),
  put(`${MAPS}/${name}-missing`, { ...configMap(`${name}-missing`), metadata: { name: `${name}-missing`, uid: "u" } }),
  patch(`${MAPS}/${name}`, "merge-patch+json", { data: { merged: "a <b> & c" } }),
  patch(`${MAPS}/${name}`, "strategic-merge-patch+json", { metadata: { labels: { a: "b" } } }),
  patch(`${MAPS}/${name}`, "json-patch+json", [{ op: "add", path: "/data/added", value: "1" }]),
  patch(`${MAPS}/${name}`, "json-patch+json", [{ op: "test", path: "/data/added", value: "2" }]),
  patch(`${MAPS}/${name}-missing`, "merge-patch+json", { data: {} }),
  remove(`${MAPS}/${name}`, { propagationPolicy: "Background" }),
  remove(`${MAPS}/${name}`),
  remove(`${MAPS}?labelSelector=a%3Db`),
];

/** More than 200 requests: every verb, every way to ask for an answer, and the usual refusals. They need nothing but the server, and leave little behind. */
export const auditRequests: readonly AuditRequest[] = [
  ...[
    "/healthz",
    "/version",
    "/api",
    "/apis",
    "/api/v1",
    "/apis/apps/v1",
    "/apis/apps",
    "/nowhere",
    "/metrics/nowhere",
  ].map((path) => get(path)),
  post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "audited" } }),
  get(NAMESPACE),
  get("/api/v1/namespaces/audited/status"),
  get("/api/v1/namespaces/missing"),
  ...["one", "two", "three"].flatMap(configMaps),
  post(`${NAMESPACE}/secrets`, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "secret" },
    stringData: { password: "p" },
  }),
  get(`${NAMESPACE}/secrets/secret`),
  get(`${NAMESPACE}/secrets`, { accept: TABLE }),
  post(`${NAMESPACE}/serviceaccounts`, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } }),
  post(DEPLOYMENTS, deployment("web")),
  post(DEPLOYMENTS, deployment("wrong", { replicas: -1 })),
  get(`${DEPLOYMENTS}/web`),
  get(`${DEPLOYMENTS}/web`, { accept: PROTOBUF }),
  get(`${DEPLOYMENTS}/web/scale`),
  get(`${DEPLOYMENTS}/web/status`),
  get(`${DEPLOYMENTS}/web/nothing`),
  put(`${DEPLOYMENTS}/web/scale`, {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "web", namespace: "audited" },
    spec: { replicas: 2 },
  }),
  patch(`${DEPLOYMENTS}/web/scale`, "merge-patch+json", { spec: { replicas: 3 } }),
  patch(`${DEPLOYMENTS}/web/status`, "merge-patch+json", { status: { replicas: 3 } }),
  get(DEPLOYMENTS),
  get("/apis/apps/v1/deployments"),
  get(DEPLOYMENTS, { accept: TABLE }),
  remove(`${DEPLOYMENTS}/web`, { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" }),
  post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { verb: "get", resource: "pods" } },
  }),
  post("/apis/rbac.authorization.k8s.io/v1/clusterroles", {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "audited" },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }],
  }),
  post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "audited" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "audited" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
  }),
  ...["one", "two", "three", "four", "five", "six", "seven", "eight"].flatMap((name) => [
    get(`${MAPS}/${name}`, as("jane")),
    get(`${MAPS}/${name}`, as("nobody", { "impersonate-group": "system:authenticated" })),
    get(`${NAMESPACE}/secrets/${name}`, as("jane")),
    remove(`/api/v1/nodes/${name}`),
    get(`/apis/example.com/v1/things/${name}`),
    get(`/apis/batch/v1/namespaces/audited/jobs/${name}`),
    get(`${NAMESPACE}/pods/${name}/log`),
    post(`${NAMESPACE}/pods/${name}/eviction`, {
      apiVersion: "policy/v1beta1",
      kind: "Eviction",
      metadata: { name, namespace: "audited" },
    }),
    post(`${NAMESPACE}/pods/${name}/binding`, {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name },
      target: { kind: "Node", name: "n" },
    }),
    get(`/healthz/${name}`),
  ]),
  get("/api/v1/pods?timeout=never"),
  get(`${NAMESPACE}/events`, { headers: { "user-agent": "a".repeat(1100), "x-forwarded-for": "10.0.0.1, bad, ::1" } }),
  get("/api/v1/nodes", { headers: { "audit-id": "chosen-by-the-client", "x-real-ip": "10.0.0.2" } }),
  get("/version", { headers: { authorization: "Bearer wrong" } }),
  get("/api/v1/pods", { headers: { authorization: "Basic YTpi" } }),
  remove("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/audited"),
  remove("/apis/rbac.authorization.k8s.io/v1/clusterroles/audited"),
  remove(`${NAMESPACE}/serviceaccounts/robot`),
  remove(`${NAMESPACE}/secrets/secret`),
  remove(NAMESPACE),
];
