import {
  AdmissionregistrationV1Api,
  AppsV1Api,
  AutoscalingV2Api,
  BatchV1Api,
  CertificatesV1Api,
  CoordinationV1Api,
  CoreV1Api,
  DiscoveryV1Api,
  EventsV1Api,
  KubeConfig,
  type KubernetesObject,
  NetworkingV1Api,
  NodeV1Api,
  PatchStrategy,
  PolicyV1Api,
  RbacAuthorizationV1Api,
  SchedulingV1Api,
  setHeaderOptions,
  StorageV1Api,
  V1MicroTime,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { certificateRequest } from "../helpers/certificate-request.js";
import { eventually } from "../helpers/eventually.js";

type Api = Parameters<KubeConfig["makeApiClient"]>[0];
type Call = (parameters: object, options?: object) => Promise<KubernetesObject & { items?: KubernetesObject[] }>;

const labels = { app: "kinds" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
const storage = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const role = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: "kinds" });

const NAMESPACED: readonly (readonly [Api, string, object])[] = [
  [CoreV1Api, "ConfigMap", { data: { a: "1" } }],
  [CoreV1Api, "Secret", { stringData: { a: "1" } }],
  [CoreV1Api, "Service", { spec: { ports: [{ port: 80 }] } }],
  [CoreV1Api, "ServiceAccount", {}],
  [CoreV1Api, "Pod", { spec: template.spec }],
  [CoreV1Api, "PodTemplate", { template }],
  [CoreV1Api, "ReplicationController", { spec: { selector: labels, template } }],
  [CoreV1Api, "PersistentVolumeClaim", { spec: storage }],
  [CoreV1Api, "LimitRange", { spec: { limits: [{ type: "Pod", max: { cpu: "1" } }] } }],
  [CoreV1Api, "ResourceQuota", { spec: { hard: { pods: "1000" } } }],
  [CoreV1Api, "Endpoints", { subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }] }],
  [AppsV1Api, "Deployment", { spec: { selector, template } }],
  [AppsV1Api, "StatefulSet", { spec: { selector, template, serviceName: "s" } }],
  [AppsV1Api, "DaemonSet", { spec: { selector, template } }],
  [AppsV1Api, "ReplicaSet", { spec: { selector, template } }],
  [AppsV1Api, "ControllerRevision", { revision: 1, data: { a: 1 } }],
  [BatchV1Api, "Job", { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } }],
  [
    BatchV1Api,
    "CronJob",
    {
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
      },
    },
  ],
  [
    AutoscalingV2Api,
    "HorizontalPodAutoscaler",
    { spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "kinds" } } },
  ],
  [PolicyV1Api, "PodDisruptionBudget", { spec: { minAvailable: 1, selector } }],
  [NetworkingV1Api, "Ingress", { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } }],
  [NetworkingV1Api, "NetworkPolicy", { spec: { podSelector: {}, policyTypes: ["Ingress"] } }],
  [RbacAuthorizationV1Api, "Role", { rules }],
  [RbacAuthorizationV1Api, "RoleBinding", { roleRef: role("Role"), subjects: [{ kind: "User", name: "u" }] }],
  [
    CoordinationV1Api,
    "Lease",
    { spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: new V1MicroTime() } },
  ],
  [DiscoveryV1Api, "EndpointSlice", { addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"] }] }],
  [
    EventsV1Api,
    "Event",
    {
      eventTime: new V1MicroTime(),
      reportingController: "example.com/tests",
      reportingInstance: "tests-1",
      action: "Testing",
      reason: "Tested",
      type: "Normal",
      regarding: { kind: "ConfigMap", namespace: "default", name: "kinds" },
    },
  ],
];

const CLUSTER: readonly (readonly [Api, string, object])[] = [
  [CoreV1Api, "Namespace", {}],
  [CoreV1Api, "Node", { spec: { podCIDR: "10.1.0.0/24" } }],
  [
    CoreV1Api,
    "PersistentVolume",
    {
      spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/data" } },
    },
  ],
  [StorageV1Api, "StorageClass", { provisioner: "example.com/p", parameters: { a: "b" } }],
  [StorageV1Api, "CSIDriver", { spec: { attachRequired: false } }],
  [SchedulingV1Api, "PriorityClass", { value: 10 }],
  [NodeV1Api, "RuntimeClass", { handler: "runc" }],
  [NetworkingV1Api, "IngressClass", { spec: { controller: "example.com/c" } }],
  [RbacAuthorizationV1Api, "ClusterRole", { rules }],
  [
    RbacAuthorizationV1Api,
    "ClusterRoleBinding",
    { roleRef: role("ClusterRole"), subjects: [{ kind: "User", name: "u" }] },
  ],
  [AdmissionregistrationV1Api, "ValidatingWebhookConfiguration", { webhooks: [] }],
];

describe("@kubernetes/client-node 1.4.0: create, read, list, patch, replace and delete", () => {
  let cluster: Cluster;
  let config: KubeConfig;

  beforeAll(async () => {
    cluster = await startCluster();
    config = new KubeConfig();
    config.loadFromString(cluster.kubeconfig());
  });
  afterAll(() => cluster.close());

  /** One life of an object. `scope` is "Namespaced" or "", as it stands in the client's method names. */
  async function life(api: Api, kind: string, scope: string, content: object): Promise<void> {
    const client = config.makeApiClient(api) as unknown as Readonly<Record<string, Call>>;
    const call = (verb: string, parameters: object, options?: object) => {
      const method = client[`${verb}${scope}${kind}`];
      if (method === undefined) throw new Error(`the client has no ${verb}${scope}${kind}`);
      return method.call(client, { ...(scope === "" ? {} : { namespace: "default" }), ...parameters }, options);
    };
    const name = "kinds";
    const created = await call("create", { body: { metadata: { name, labels }, ...content } });
    expect(created.metadata).toMatchObject({ name, labels, uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string });
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    await expect(call("create", { body: { metadata: { name }, ...content } })).rejects.toMatchObject({ code: 409 });

    const merge = { metadata: { annotations: { patched: "yes" } } };
    const patched = await call(
      "patch",
      { name, body: merge },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
    expect(patched.metadata?.annotations).toMatchObject({ patched: "yes" });
    // The volume controllers write as well.
    const replaced = await eventually(async () => {
      const live = await call("read", { name });
      Object.assign(live.metadata?.annotations ?? {}, { replaced: "yes" });
      return call("replace", { name, body: live });
    });
    expect(replaced.metadata?.annotations).toMatchObject({ patched: "yes", replaced: "yes" });
    expect(replaced.metadata?.generation).toBe(created.metadata?.generation);
    const { items = [] } = await call("list", { labelSelector: "app=kinds" });
    expect(items.map(({ metadata }) => metadata?.uid)).toEqual([created.metadata?.uid]);

    await call("delete", { name, propagationPolicy: "Background" });
    await eventually(() => expect(call("read", { name })).rejects.toMatchObject({ code: 404 }));
  }

  test.each(NAMESPACED.map(([api, kind, content]) => [kind, api, content] as const))(
    "the namespaced kind %s",
    async (kind, api, content) => {
      await life(api, kind, "Namespaced", content);
    },
  );

  test.each(CLUSTER.map(([api, kind, content]) => [kind, api, content] as const))(
    "the cluster-scoped kind %s",
    async (kind, api, content) => {
      await life(api, kind, "", content);
    },
  );

  test("the kind CertificateSigningRequest", async () => {
    const { request } = await certificateRequest("CN=jane");
    await life(CertificatesV1Api, "CertificateSigningRequest", "", {
      spec: {
        request: Buffer.from(request).toString("base64"),
        signerName: "kubernetes.io/kube-apiserver-client",
        usages: ["client auth"],
      },
    });
  });
});
