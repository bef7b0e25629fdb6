import { describe, expect, it } from "vitest";
import { metadata, row } from "./row-of.js";

describe("the table row of a", () => {
  const template = { spec: { containers: [{ name: "c", image: "nginx:1" }] } };
  const selector = { matchLabels: { app: "x" } };
  const rows: readonly [string, string, string, Record<string, unknown>, readonly unknown[]][] = [
    [
      "deployment",
      "apps",
      "deployments",
      { spec: { replicas: 3, selector, template }, status: { readyReplicas: 1 } },
      ["x", "1/3", 0, 0, "24h", "c", "nginx:1", "app=x"],
    ],
    [
      "service",
      "",
      "services",
      {
        spec: { type: "NodePort", clusterIPs: ["10.96.0.9"], ports: [{ port: 80, nodePort: 30001, protocol: "TCP" }] },
      },
      ["x", "NodePort", "10.96.0.9", "<none>", "80:30001/TCP", "24h", "<none>"],
    ],
    [
      "headless service",
      "",
      "services",
      { spec: { type: "ClusterIP", clusterIPs: ["None"], selector: { a: "b" } } },
      ["x", "ClusterIP", "None", "<none>", "<none>", "24h", "a=b"],
    ],
    [
      "ingress",
      "networking.k8s.io",
      "ingresses",
      { spec: { rules: [{ host: "a.example" }], tls: [{}] } },
      ["x", "<none>", "a.example", "", "80, 443", "24h"],
    ],
    [
      "autoscaler",
      "autoscaling",
      "horizontalpodautoscalers",
      {
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "d" },
          minReplicas: 1,
          maxReplicas: 4,
          metrics: [{ type: "Resource", resource: { name: "cpu", target: { averageUtilization: 80 } } }],
        },
      },
      ["x", "Deployment/d", "cpu: <unknown>/80%", "1", 4, 0, "24h"],
    ],
    [
      "cron job",
      "batch",
      "cronjobs",
      { spec: { schedule: "@daily", suspend: false, jobTemplate: { spec: { template } } } },
      ["x", "@daily", "<none>", "False", 0, "<none>", "24h", "c", "nginx:1", "<none>"],
    ],
    [
      "job",
      "batch",
      "jobs",
      { spec: { completions: 1, template }, status: {} },
      ["x", "Running", "0/1", "", "24h", "c", "nginx:1", "<none>"],
    ],
    [
      "claim",
      "",
      "persistentvolumeclaims",
      { spec: { volumeMode: "Filesystem" }, status: { phase: "Pending" } },
      ["x", "Pending", "", "", "", "", "<unset>", "24h", "Filesystem"],
    ],
    [
      "role binding",
      "rbac.authorization.k8s.io",
      "rolebindings",
      { roleRef: { kind: "Role", name: "r" }, subjects: [{ kind: "ServiceAccount", name: "s", namespace: "n" }] },
      ["x", "Role/r", "24h", "", "", "n/s"],
    ],
    ["config map", "", "configmaps", { data: { a: "1" }, binaryData: { b: "" } }, ["x", 2, "24h"]],
    [
      "node",
      "",
      "nodes",
      { spec: { unschedulable: true }, status: { conditions: [{ type: "Ready", status: "True" }] } },
      ["x", "Ready,SchedulingDisabled", "<none>", "24h", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"],
    ],
    ["budget", "policy", "poddisruptionbudgets", { spec: { minAvailable: "50%" } }, ["x", "50%", "N/A", 0, "24h"]],
    [
      "autoscaler whose statuses lack their values",
      "autoscaling",
      "horizontalpodautoscalers",
      {
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "d" },
          maxReplicas: 4,
          metrics: [
            { type: "Pods", pods: { target: { averageValue: "1" } } },
            { type: "Resource", resource: { name: "cpu", target: { averageValue: "2" } } },
          ],
        },
        status: {
          currentMetrics: [
            { type: "Pods", pods: { current: {} } },
            { type: "Resource", resource: { current: {} } },
          ],
        },
      },
      ["x", "Deployment/d", "<nil>/1, cpu: <nil>/2", "<unset>", 4, 0, "24h"],
    ],
    [
      "binding to a parameter of any namespace",
      "admissionregistration.k8s.io",
      "validatingadmissionpolicybindings",
      { spec: { policyName: "p", paramRef: { name: "strict" } } },
      ["x", "p", "*/strict", "24h"],
    ],
    [
      "binding to selected parameters",
      "admissionregistration.k8s.io",
      "mutatingadmissionpolicybindings",
      {
        spec: {
          policyName: "p",
          paramRef: { selector: { matchExpressions: [{ key: "a", operator: "In", values: ["b", "c"] }] } },
        },
      },
      [
        "x",
        "p",
        "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:a,Operator:In,Values:[b c],},},}",
        "24h",
      ],
    ],
    [
      "endpoint slice with a port of no number",
      "discovery.k8s.io",
      "endpointslices",
      { addressType: "IPv4", ports: [{}, { name: "web" }], endpoints: [] },
      ["x", "IPv4", "*,web", "<unset>", "24h"],
    ],
    [
      "default class of volume attributes",
      "storage.k8s.io",
      "volumeattributesclasses",
      {
        driverName: "d",
        metadata: {
          ...metadata,
          annotations: { "volumeattributesclass.alpha.kubernetes.io/is-default-class": "true" },
        },
      },
      ["x", "d", "24h"],
    ],
    [
      "address, with an age beyond its columns",
      "networking.k8s.io",
      "ipaddresses",
      { spec: { parentRef: { resource: "services", namespace: "n", name: "s" } } },
      ["x", "services/n/s", "24h"],
    ],
    [
      "pod group of a workload",
      "scheduling.k8s.io",
      "podgroups",
      {
        spec: { schedulingPolicy: { gang: { minCount: 2 } }, podGroupTemplateRef: { workload: { workloadName: "w" } } },
        status: { conditions: [{ type: "PodGroupScheduled", status: "False", reason: "Unschedulable" }] },
      },
      ["x", "Gang", "w", "Unschedulable", "24h"],
    ],
    ["workload", "scheduling.k8s.io", "workloads", { spec: {} }, ["x", "24h"]],
    [
      "certificate of a pod",
      "certificates.k8s.io",
      "podcertificaterequests",
      {
        spec: { podName: "p", serviceAccountName: "s", nodeName: "n", signerName: "example.org/a" },
        status: { conditions: [{ type: "Issued", status: "True" }] },
      },
      ["x", "p", "s", "n", "example.org/a", "Issued", "<none>"],
    ],
    [
      "node that reports its architecture alone",
      "",
      "nodes",
      { status: { nodeInfo: { architecture: "arm64" } } },
      ["x", "Unknown", "<none>", "24h", "", "<none>", "<none>", "<unknown>", "<unknown> (arm64)", "<unknown>"],
    ],
    [
      "default class of ingresses",
      "networking.k8s.io",
      "ingressclasses",
      {
        spec: { controller: "example.org/a" },
        metadata: { ...metadata, annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
      },
      ["x (default)", "example.org/a", "<none>", "24h"],
    ],
    [
      "API service that is unavailable for no reason",
      "apiregistration.k8s.io",
      "apiservices",
      {
        spec: { service: { namespace: "n", name: "s" } },
        status: { conditions: [{ type: "Available", status: "False" }] },
      },
      ["x", "n/s", "False", "24h"],
    ],
    ["trust bundle without a signer", "certificates.k8s.io", "clustertrustbundles", { spec: {} }, ["x", "<none>"]],
    [
      "taint rule",
      "resource.k8s.io",
      "devicetaintrules",
      { spec: { taint: { key: "k", value: "v", effect: "NoExecute", timeAdded: "2026-01-01T23:00:00Z" } } },
      ["x", "k", "v", "NoExecute", "60m", "24h"],
    ],
    [
      "migration of a core resource",
      "storagemigration.k8s.io",
      "storageversionmigrations",
      {
        spec: { resource: { group: "", resource: "secrets" } },
        status: {
          conditions: [
            { type: "Running", status: "False" },
            { type: "Failed", status: "True" },
          ],
        },
      },
      ["x", "secrets", "Failed"],
    ],
    [
      "storage version of four servers",
      "internal.apiserver.k8s.io",
      "storageversions",
      {
        status: {
          storageVersions: ["a", "b", "c", "d"].map((apiServerID) => ({ apiServerID, encodingVersion: "v1" })),
        },
      },
      ["x", "<unset>", "a=v1,b=v1,c=v1 + 1 more...", "24h"],
    ],
    ["network policy", "networking.k8s.io", "networkpolicies", { spec: { podSelector: {} } }, ["x", "<none>", "24h"]],
  ];
  it.each(rows)("%s", (_, group, resource, object, cells) => {
    expect(row(group, resource, { metadata, ...object })).toEqual(cells);
  });

  it("the table row of an event shows when it was last seen and by whom", () => {
    const event = {
      metadata,
      type: "Normal",
      reason: "Started",
      message: " hello\n",
      involvedObject: { kind: "Pod", name: "p" },
      source: { component: "kubelet", host: "n1" },
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T23:59:00Z",
      count: 4,
    };
    expect(row("", "events", event)).toEqual([
      "60s",
      "Normal",
      "Started",
      "pod/p",
      "",
      "kubelet, n1",
      "hello",
      "24h",
      4,
      "x",
    ]);
  });
});
