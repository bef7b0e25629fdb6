import { certificateRequest } from "../../helpers/certificate-request.js";
import { ownRow, row, type Step } from "./runner/row.js";
import { badRequest, create, createAll, events, get, patch, post, watch } from "./runner/steps.js";

const account = post("serviceaccounts", { metadata: { name: "default" } }, "account");
const container = { name: "c", image: "i" };
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [container] } };

const pod = (name: string, spec: Readonly<Record<string, unknown>> = {}) =>
  post("pods", { metadata: { name }, spec: { containers: [container], ...spec } });
const status = (path: string, body: unknown) =>
  patch(`${path}/status`, { status: body }, path.slice(path.indexOf("/") + 1));

const job = (name: string) =>
  post("/apis/batch/v1/namespaces/{ns}/jobs", {
    metadata: { name },
    spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } },
  });
const event = (name: string, rest: Readonly<Record<string, unknown>>) =>
  post("events", { metadata: { name }, involvedObject: { namespace: "{ns}" }, ...rest });
const controller = (name: string) =>
  post("replicationcontrollers", { metadata: { name }, spec: { selector: { app: "a" }, template } });
const node = (name: string, spec: Readonly<Record<string, unknown>>) =>
  post("/api/v1/nodes", { metadata: { name, labels: { row: "{ns}" } }, spec });
/** The server checks a request's own signature. */
const signed = Buffer.from((await certificateRequest("CN=jane")).request).toString("base64");
const request = (name: string, signerName: string) =>
  post("/apis/certificates.k8s.io/v1/certificatesigningrequests", {
    metadata: { name, labels: { row: "{ns}" } },
    spec: {
      request: signed,
      signerName,
      usages: ["client auth"],
    },
  });

const twoPods: readonly Step[] = [
  account,
  post("serviceaccounts", { metadata: { name: "robot" } }, "robot"),
  pod("a", {
    nodeName: "n1",
    restartPolicy: "Never",
    schedulerName: "mine",
    serviceAccountName: "robot",
    hostNetwork: true,
  }),
  pod("b"),
  status("pods/a", { phase: "Running", podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] }),
  status("pods/b", { nominatedNodeName: "n2" }),
];

/** What a selector finds among what the steps made. */
type Selection = readonly [
  resource: string,
  steps: readonly Step[],
  selections: readonly (readonly [string, readonly string[]])[],
];

const kinds: readonly Selection[] = [
  [
    "configmaps",
    createAll("a", "b"),
    [
      ["", ["a", "b"]],
      ["metadata.name=a", ["a"]],
      ["metadata.name==a", ["a"]],
      ["metadata.name!=a", ["b"]],
      ["metadata.name=a,metadata.name=b", []],
      ["metadata.name!=a,metadata.name!=b", []],
      ["metadata.namespace={ns}", ["a", "b"]],
      ["metadata.namespace!={ns}", []],
      ["metadata.name=", []],
      ["metadata.name=a\\,b", []],
      ["metadata.name=a,", ["a"]],
    ],
  ],
  [
    "pods",
    twoPods,
    [
      ["metadata.name=a", ["a"]],
      ["spec.nodeName=n1", ["a"]],
      ["spec.nodeName=", ["b"]],
      ["spec.nodeName!=n1", ["b"]],
      ["spec.host=n1", ["a"]],
      ["spec.restartPolicy=Never", ["a"]],
      ["spec.restartPolicy=Always", ["b"]],
      ["spec.schedulerName=mine", ["a"]],
      ["spec.schedulerName=default-scheduler", ["b"]],
      ["spec.serviceAccountName=robot", ["a"]],
      ["spec.hostNetwork=true", ["a"]],
      ["spec.hostNetwork=false", ["b"]],
      ["status.phase=Running", ["a"]],
      ["status.phase=Pending", ["b"]],
      ["status.phase!=Pending,spec.nodeName=n1", ["a"]],
      ["status.podIP=10.0.0.1", ["a"]],
      ["status.podIP=", ["b"]],
      ["status.podIPs=10.0.0.1", []],
      ["status.podIPs=", ["a", "b"]],
      ["status.nominatedNodeName=n2", ["b"]],
    ],
  ],
  [
    "secrets",
    [
      post("secrets", { metadata: { name: "a" } }),
      post("secrets", { metadata: { name: "b" }, type: "example.com/own" }),
    ],
    [
      ["type=Opaque", ["a"]],
      ["type!=Opaque", ["b"]],
      ["type=example.com/own", ["b"]],
      ["metadata.name=b", ["b"]],
    ],
  ],
  [
    "services",
    [
      post("services", { metadata: { name: "a" }, spec: { clusterIP: "None", ports: [{ port: 80 }] } }),
      post("services", { metadata: { name: "b" }, spec: { type: "ExternalName", externalName: "example.com" } }),
    ],
    [
      ["spec.clusterIP=None", ["a"]],
      ["spec.clusterIP!=None", ["b"]],
      ["spec.type=ExternalName", ["b"]],
      ["spec.type=ClusterIP", ["a"]],
    ],
  ],
  [
    "replicationcontrollers",
    [controller("a"), controller("b"), status("replicationcontrollers/a", { replicas: 2 })],
    [
      ["status.replicas=2", ["a"]],
      ["status.replicas=0", ["b"]],
    ],
  ],
  [
    "/apis/batch/v1/namespaces/{ns}/jobs",
    [job("a"), job("b")],
    [
      ["status.successful=0", ["a", "b"]],
      ["status.successful=1", []],
      ["metadata.name=b", ["b"]],
    ],
  ],
  [
    "events",
    [
      event("a", {
        involvedObject: {
          kind: "Pod",
          apiVersion: "v1",
          namespace: "{ns}",
          name: "p",
          uid: "u1",
          resourceVersion: "7",
          fieldPath: "spec.containers[0]",
        },
        reason: "Started",
        type: "Normal",
        source: { component: "kubelet" },
      }),
      event("b", { reason: "Failed", type: "Warning", reportingComponent: "robot", reportingInstance: "r1" }),
    ],
    [
      ["involvedObject.kind=Pod", ["a"]],
      ["involvedObject.apiVersion=v1", ["a"]],
      ["involvedObject.namespace={ns}", ["a", "b"]],
      ["involvedObject.name=p", ["a"]],
      ["involvedObject.uid=u1", ["a"]],
      ["involvedObject.resourceVersion=7", ["a"]],
      ["involvedObject.fieldPath=spec.containers[0]", ["a"]],
      ["reason=Failed", ["b"]],
      ["type!=Normal", ["b"]],
      ["source=kubelet", ["a"]],
      ["source=robot", ["b"]],
      ["reportingComponent=robot", ["b"]],
      ["involvedObject.name=p,type=Normal,reason=Started", ["a"]],
    ],
  ],
  [
    "/apis/events.k8s.io/v1/namespaces/{ns}/events",
    [
      event("a", {
        involvedObject: { kind: "Pod", namespace: "{ns}", name: "p" },
        reason: "Started",
        type: "Normal",
        source: { component: "kubelet" },
      }),
      event("b", { reason: "Failed", type: "Warning", reportingComponent: "robot", reportingInstance: "r1" }),
    ],
    [
      ["regarding.name=p", ["a"]],
      ["regarding.kind=Pod", ["a"]],
      ["reportingController=robot", ["b"]],
      ["reason=Started", ["a"]],
      ["source=kubelet", ["a"]],
      ["type=Warning", ["b"]],
    ],
  ],
];

const notSupported = (label: string) => badRequest(`field label not supported: ${label}`);
const notKnown = (label: string) =>
  badRequest(`"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`);

const refusals: readonly (readonly [string, string, ReturnType<typeof badRequest>])[] = [
  ["configmaps", "data.colour=blue", notKnown("data.colour")],
  ["configmaps", "metadata.uid!=1", notKnown("metadata.uid")],
  ["configmaps", "=a", notKnown("")],
  ["serviceaccounts", "spec.nodeName=n1", notKnown("spec.nodeName")],
  ["pods", "spec.image=i", notSupported("spec.image")],
  ["pods", "metadata.labels=a", notSupported("metadata.labels")],
  ["secrets", "data=a", notSupported("data")],
  ["services", "spec.ports=80", notSupported("spec.ports")],
  ["events", "message=a", notSupported("message")],
  ["events", "regarding.name=a", notSupported("regarding.name")],
  ["replicationcontrollers", "spec.replicas=1", notSupported("spec.replicas")],
  ["/apis/events.k8s.io/v1/namespaces/{ns}/events", "involvedObject.name=a", notSupported("involvedObject.name")],
  ["/apis/apps/v1/namespaces/{ns}/replicasets", "status.replicas=0", notKnown("status.replicas")],
  ["/apis/apps/v1/namespaces/{ns}/deployments", "status.phase=x", notKnown("status.phase")],
  [
    "/apis/batch/v1/namespaces/{ns}/jobs",
    "status.failed=1",
    badRequest('field label "status.failed" not supported for Job'),
  ],
  ["/apis/batch/v1/namespaces/{ns}/cronjobs", "status.successful=1", notKnown("status.successful")],
  ["/api/v1/nodes", "metadata.namespace=a", notSupported("metadata.namespace")],
  ["/api/v1/namespaces", "name=a", notSupported("name")],
  ["/api/v1/namespaces", "metadata.namespace=a", notSupported("metadata.namespace")],
  ["/apis/certificates.k8s.io/v1/certificatesigningrequests", "spec.username=a", notSupported("spec.username")],
  [
    "/apis/resource.k8s.io/v1/resourceslices",
    "spec.pool=a",
    badRequest("field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool"),
  ],
];

const malformed: readonly (readonly [string, string])[] = [
  ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  ["metadata.name>a", "invalid selector: 'metadata.name>a'; can't understand 'metadata.name>a'"],
  ["metadata.name=a=b", "invalid field selector: unescaped character in value: 61"],
  ["metadata.name=a\\b", "invalid field selector: invalid escape sequence: \\b"],
];

const query = (selector: string): string => encodeURIComponent(selector).replaceAll("%7Bns%7D", "{ns}");
const short = (resource: string): string =>
  resource.startsWith("/apis/events") ? "events.k8s.io" : resource.slice(resource.lastIndexOf("/") + 1);

export const fieldSelectorsRows = [
  ...kinds.flatMap(([resource, steps, selections]) =>
    selections.map(([selector, items]) =>
      row(
        `${short(resource)}: ${JSON.stringify(selector)} selects ${items.length === 0 ? "nothing" : items.join(" ")}`,
        ...steps,
        get(`${resource}?fieldSelector=${query(selector)}`, { items }),
      ),
    ),
  ),
  ...refusals.map(([resource, selector, refusal]) =>
    row(
      `${short(resource)}: ${JSON.stringify(selector)} is refused: 400`,
      get(`${resource}?fieldSelector=${query(selector)}`, refusal),
    ),
  ),
  ...malformed.map(([selector, message]) =>
    row(
      `${JSON.stringify(selector)} is not understood: 400`,
      get(`configmaps?fieldSelector=${query(selector)}`, badRequest(message)),
    ),
  ),
  ownRow(
    "namespaces by phase",
    {},
    get("/api/v1/namespaces?fieldSelector=status.phase%3DActive", { items: ["{ns}"] }),
    get("/api/v1/namespaces?fieldSelector=status.phase%3DTerminating", { items: [] }),
    get("/api/v1/namespaces?fieldSelector=metadata.name%3D{ns}", { items: ["{ns}"] }),
  ),
  row(
    "nodes that take no pods",
    node("{ns}-a", { unschedulable: true }),
    node("{ns}-b", {}),
    get("/api/v1/nodes?labelSelector=row%3D{ns}&fieldSelector=spec.unschedulable%3Dtrue", { items: ["{ns}-a"] }),
    get("/api/v1/nodes?labelSelector=row%3D{ns}&fieldSelector=spec.unschedulable%3Dfalse", { items: ["{ns}-b"] }),
  ),
  row(
    "certificate requests by signer",
    request("{ns}-a", "kubernetes.io/kube-apiserver-client"),
    request("{ns}-b", "example.com/own"),
    get(
      "/apis/certificates.k8s.io/v1/certificatesigningrequests?labelSelector=row%3D{ns}&fieldSelector=spec.signerName%3Dexample.com%2Fown",
      { items: ["{ns}-b"] },
    ),
  ),
  row(
    "a cluster-scoped kind without labels of its own takes metadata.namespace, and has none",
    post(
      "/apis/rbac.authorization.k8s.io/v1/clusterroles",
      { metadata: { name: "{ns}", labels: { row: "{ns}" } }, rules: [] },
      "role",
    ),
    get(
      "/apis/rbac.authorization.k8s.io/v1/clusterroles?labelSelector=row%3D{ns}&fieldSelector=metadata.namespace%3Dx",
      { items: [] },
    ),
    get(
      "/apis/rbac.authorization.k8s.io/v1/clusterroles?labelSelector=row%3D{ns}&fieldSelector=metadata.namespace%3D",
      { items: ["{ns}"] },
    ),
  ),
  row(
    "resource slices by node and driver",
    post("/apis/resource.k8s.io/v1/resourceslices", {
      metadata: { name: "{ns}-a", labels: { row: "{ns}" } },
      spec: { driver: "example.com", nodeName: "n1", pool: { name: "p", generation: 1, resourceSliceCount: 1 } },
    }),
    get(
      "/apis/resource.k8s.io/v1/resourceslices?labelSelector=row%3D{ns}&fieldSelector=spec.nodeName%3Dn1,spec.driver%3Dexample.com",
      { items: ["{ns}-a"] },
    ),
    get("/apis/resource.k8s.io/v1/resourceslices?labelSelector=row%3D{ns}&fieldSelector=spec.nodeName%3Dn2", {
      items: [],
    }),
  ),
  row(
    "a watch refuses an unknown field before it begins: 400",
    get("pods?watch=true&fieldSelector=spec.image%3Di", notSupported("spec.image")),
  ),
  row(
    "a watch of pods on one node sees them come and end",
    account,
    watch("pods?watch=true&resourceVersion={now}&fieldSelector=spec.nodeName%3Dn1,status.phase!%3DSucceeded"),
    pod("a"),
    pod("b", { nodeName: "n1" }),
    status("pods/b", { phase: "Succeeded" }),
    events("ADDED b@{b}", "DELETED b@{b:2}"),
  ),
  row(
    "a watch of events about one object",
    watch("events?watch=true&resourceVersion={now}&fieldSelector=involvedObject.name%3Dp"),
    event("a", { involvedObject: { namespace: "{ns}", name: "q" } }),
    event("b", { involvedObject: { namespace: "{ns}", name: "p" } }),
    events("ADDED b@{b}"),
  ),
  row(
    "create shows a name that another one begins with",
    create("ab"),
    create("a"),
    get("configmaps?fieldSelector=metadata.name%3Da", { items: ["a"] }),
  ),
];
