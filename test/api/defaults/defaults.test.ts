import { describe, expect, it } from "vitest";
import { applyDefaults } from "../../../src/api/defaults/index.js";
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
])("the image %s is pulled %s", (image, policy) => {
  expect(pullPolicy(image)).toBe(policy);
});

describe("defaults of 1.36", () => {
  it("a deployment is rolled by quarters and its pods get what pods get", () => {
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

  it("a pod requests what it limits; a template does not", () => {
    const containers = [{ name: "c", image: "a", resources: { limits: { cpu: "1" } } }];
    const pod = defaulted("", "Pod", { spec: { containers } }) as { spec: { containers: { resources: unknown }[] } };
    expect(pod.spec.containers[0]?.resources).toEqual({ limits: { cpu: "1" }, requests: { cpu: "1" } });
  });

  it("volumes get modes, probes their numbers, fields their version", () => {
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

  it("a service's target port is its port", () => {
    expect(defaulted("", "Service", { spec: { ports: [{ port: 80 }] } }).spec).toEqual({
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
      sessionAffinity: "None",
      type: "ClusterIP",
      internalTrafficPolicy: "Cluster",
    });
  });

  it("claim templates of a stateful set are whole claims", () => {
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
  it.each(rows)("%s", (_, group, kind, object, expected) => {
    expect(defaulted(group, kind, object)).toMatchObject(expected);
  });
});
