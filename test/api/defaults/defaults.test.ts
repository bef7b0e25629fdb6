import { describe, expect, it } from "vitest";
import { applyDefaults } from "../../helpers/apply-defaults.js";
import { pullPolicy } from "../../../src/api/defaults/image.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";

function defaulted(group: string, kind: string, object: KubeObject): KubeObject {
  const once = applyDefaults({ group, version: "v1", kind }, structuredClone(object));
  const twice = applyDefaults({ group, version: "v1", kind }, structuredClone(once));
  expect(twice).toEqual(once);
  return once;
}

it.each([
  ["nginx", "Always"],
  ["nginx:latest", "Always"],
  ["nginx:1.27", "IfNotPresent"],
  ["registry:5000/nginx", "Always"],
  ["registry:5000/nginx:1", "IfNotPresent"],
  ["nginx@sha256:abc", "IfNotPresent"],
  ["library/nginx", "Always"],
  ["localhost/nginx", "Always"],
  ["Registry/nginx", "Always"],
  ["[fd00::1]:5000/nginx", "Always"],
  [`nginx@sha256:${"0".repeat(64)}`, "IfNotPresent"],
  [`nginx:latest@sha256:${"0".repeat(64)}`, "Always"],
  // What is no reference has no tag.
  ["", "IfNotPresent"],
  ["Nginx", "IfNotPresent"],
  ["library/Nginx", "IfNotPresent"],
  ["nginx:", "IfNotPresent"],
  ["a//b", "IfNotPresent"],
  [" nginx", "IfNotPresent"],
  ["0".repeat(64), "IfNotPresent"],
])("the image %s gets the default pull policy %s", (image, policy) => {
  expect(pullPolicy(image)).toBe(policy);
});

describe("default values in Kubernetes 1.36", () => {
  it("a Deployment gets a rolling update by 25% and its pods the defaults of pods", () => {
    const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "nginx:1" }] } };
    expect(defaulted("apps", "Deployment", { spec: { selector: {}, template } }).spec).toEqual({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
      selector: {},
      template: {
        metadata: { labels: { app: "x" } },
        spec: {
          containers: [
            {
              name: "c",
              image: "nginx:1",
              imagePullPolicy: "IfNotPresent",
              resources: {},
              terminationMessagePath: "/dev/termination-log",
              terminationMessagePolicy: "File",
            },
          ],
          dnsPolicy: "ClusterFirst",
          restartPolicy: "Always",
          schedulerName: "default-scheduler",
          securityContext: {},
          terminationGracePeriodSeconds: 30,
        },
      },
    });
  });

  it("a pod's requests default to its limits; those of a pod template do not", () => {
    const containers = [{ name: "c", image: "a", resources: { limits: { cpu: "1" } } }];
    const pod = defaulted("", "Pod", { spec: { containers } }) as { spec: { containers: { resources: unknown }[] } };
    expect(pod.spec.containers[0]?.resources).toEqual({ limits: { cpu: "1" }, requests: { cpu: "1" } });
  });

  it("volumes get a default mode, probes their default numbers, and field references their API version", () => {
    const spec = {
      volumes: [{ name: "a" }, { name: "s", secret: { secretName: "s" } }, { name: "h", hostPath: { path: "/" } }],
      containers: [
        {
          name: "c",
          image: "a:1",
          livenessProbe: { httpGet: { port: 80 } },
          env: [{ name: "N", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        },
      ],
    };
    const pod = defaulted("", "Pod", { spec }) as { spec: { volumes: unknown; containers: Record<string, unknown>[] } };
    expect(pod.spec.volumes).toEqual([
      { name: "a", emptyDir: {} },
      { name: "s", secret: { secretName: "s", defaultMode: 420 } },
      { name: "h", hostPath: { path: "/", type: "" } },
    ]);
    expect(pod.spec.containers[0]).toMatchObject({
      livenessProbe: {
        httpGet: { path: "/", port: 80, scheme: "HTTP" },
        failureThreshold: 3,
        periodSeconds: 10,
        successThreshold: 1,
        timeoutSeconds: 1,
      },
      env: [{ name: "N", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } }],
    });
  });

  it("a Service's target port defaults to its port", () => {
    expect(defaulted("", "Service", { spec: { ports: [{ port: 80 }] } }).spec).toEqual({
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
      sessionAffinity: "None",
      type: "ClusterIP",
      internalTrafficPolicy: "Cluster",
    });
  });

  it("a StatefulSet's claim templates get the defaults of claims", () => {
    const spec = { volumeClaimTemplates: [{ metadata: { name: "d" }, spec: {} }] };
    expect(defaulted("apps", "StatefulSet", { spec }).spec).toMatchObject({
      volumeClaimTemplates: [
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: { name: "d" },
          spec: { volumeMode: "Filesystem" },
          status: { phase: "Pending" },
        },
      ],
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
    });
  });

  const rows: readonly [what: string, group: string, kind: string, object: KubeObject, expected: object][] = [
    [
      "a pod's first address is the one under the old name",
      "",
      "Pod",
      { status: { podIP: "10.0.0.2", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] } },
      { status: { podIP: "10.0.0.2", podIPs: [{ ip: "10.0.0.2" }] } },
    ],
    [
      "a pod's first address shows under the old name",
      "",
      "Pod",
      { status: { podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] } },
      { status: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] } },
    ],
    [
      "a node's only block is also its first",
      "",
      "Node",
      { spec: { podCIDR: "10.0.0.0/24" } },
      { spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] } },
    ],
    [
      "a node's block under the old name goes before the list",
      "",
      "Node",
      { spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.1.0/24", "fd00::/64"] } },
      { spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] } },
    ],
    [
      "a pod ends after one second at least",
      "",
      "Pod",
      { spec: { terminationGracePeriodSeconds: -5 } },
      { spec: { terminationGracePeriodSeconds: 1 } },
    ],
    [
      "a template says what it said",
      "apps",
      "Deployment",
      { spec: { template: { spec: { terminationGracePeriodSeconds: -5 } } } },
      { spec: { template: { spec: { terminationGracePeriodSeconds: -5 } } } },
    ],
    [
      "a service of clients' addresses remembers them for three hours",
      "",
      "Service",
      { spec: { sessionAffinity: "ClientIP" } },
      { spec: { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } } },
    ],
    [
      "a load balancer gets node ports",
      "",
      "Service",
      { spec: { type: "LoadBalancer" }, status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }, { hostname: "h" }] } } },
      {
        spec: {
          allocateLoadBalancerNodePorts: true,
          externalTrafficPolicy: "Cluster",
          internalTrafficPolicy: "Cluster",
        },
        status: { loadBalancer: { ingress: [{ ip: "1.2.3.4", ipMode: "VIP" }, { hostname: "h" }] } },
      },
    ],
    [
      "a service of external addresses is reached from outside",
      "",
      "Service",
      { spec: { externalIPs: ["1.2.3.4"] } },
      { spec: { externalTrafficPolicy: "Cluster" } },
    ],
    [
      "a job of one completion",
      "batch",
      "Job",
      { spec: { template: { metadata: { labels: { a: "b" } } } } },
      {
        metadata: { labels: { a: "b" } },
        spec: {
          completions: 1,
          parallelism: 1,
          backoffLimit: 6,
          completionMode: "NonIndexed",
          suspend: false,
          manualSelector: false,
          podReplacementPolicy: "TerminatingOrFailed",
        },
      },
    ],
    [
      "a job of failures by index",
      "batch",
      "Job",
      { spec: { parallelism: 3, backoffLimitPerIndex: 1, podFailurePolicy: { rules: [{ onPodConditions: [{}] }] } } },
      {
        spec: {
          parallelism: 3,
          backoffLimit: 2147483647,
          podReplacementPolicy: "Failed",
          podFailurePolicy: { rules: [{ onPodConditions: [{ status: "True" }] }] },
        },
      },
    ],
    [
      "a cron job",
      "batch",
      "CronJob",
      { spec: { jobTemplate: { spec: {} } } },
      {
        spec: {
          concurrencyPolicy: "Allow",
          suspend: false,
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 1,
          jobTemplate: { spec: {} },
        },
      },
    ],
    [
      "a daemon set is rolled pod by pod",
      "apps",
      "DaemonSet",
      { spec: {} },
      {
        spec: {
          revisionHistoryLimit: 10,
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        },
      },
    ],
    [
      "a set's own strategy is left alone",
      "apps",
      "StatefulSet",
      { spec: { updateStrategy: { type: "OnDelete" } } },
      { spec: { updateStrategy: { type: "OnDelete" }, podManagementPolicy: "OrderedReady", replicas: 1 } },
    ],
    [
      "a namespace carries its name as a label",
      "",
      "Namespace",
      { metadata: { name: "n" } },
      { metadata: { labels: { "kubernetes.io/metadata.name": "n" } } },
    ],
    [
      "an egress policy is of both types",
      "networking.k8s.io",
      "NetworkPolicy",
      { spec: { egress: [{}] } },
      { spec: { policyTypes: ["Ingress", "Egress"] } },
    ],
    [
      "an autoscaler without metrics looks at CPU",
      "autoscaling",
      "HorizontalPodAutoscaler",
      { spec: { maxReplicas: 2 } },
      { spec: { minReplicas: 1, metrics: [{ type: "Resource" }] } },
    ],
    [
      "a job runs once",
      "batch",
      "Job",
      { spec: { template: { spec: {} } } },
      {
        spec: {
          completions: 1,
          parallelism: 1,
          backoffLimit: 6,
          suspend: false,
          completionMode: "NonIndexed",
          podReplacementPolicy: "TerminatingOrFailed",
        },
      },
    ],
    ["a work queue job has no completions", "batch", "Job", { spec: { parallelism: 3 } }, { spec: { parallelism: 3 } }],
    [
      "a binding's users are RBAC's",
      "rbac.authorization.k8s.io",
      "RoleBinding",
      { roleRef: { kind: "Role", name: "r" }, subjects: [{ kind: "User", name: "u" }] },
      { roleRef: { apiGroup: "rbac.authorization.k8s.io" }, subjects: [{ apiGroup: "rbac.authorization.k8s.io" }] },
    ],
    ["a secret is opaque", "", "Secret", {}, { type: "Opaque" }],
  ];
  it.each(rows)("default values beyond OpenAPI's: %s", (_, group, kind, object, expected) => {
    expect(defaulted(group, kind, object)).toMatchObject(expected);
  });

  it.each(["alpha", "beta"])("defaulting a pod removes the old annotation of init containers: %s", (stage) => {
    const annotations = {
      [`pod.${stage}.kubernetes.io/init-containers`]: "[]",
      [`pod.${stage}.kubernetes.io/init-container-statuses`]: "[]",
      kept: "1",
    };
    const pod = defaulted("", "Pod", { metadata: { annotations: { ...annotations } } });
    expect(pod.metadata).toEqual({ annotations: { kept: "1" } });
    const template = { metadata: { annotations: { ...annotations } } };
    expect(defaulted("apps", "ReplicaSet", { spec: { template } }).spec).toEqual({
      replicas: 1,
      template: { metadata: { annotations: { kept: "1" } } },
    });
  });
});
