import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { builtinRecord } from "../../../src/server/builtin/index.js";

const NOW = Date.parse("2026-01-02T00:00:00Z");

function row(group: string, resource: string, object: KubeObject): readonly unknown[] {
  const table = builtinRecord(group, resource)?.strategy?.columns;
  if (table === undefined) throw new Error(`no table for ${resource}`);
  const cells = table.cells(object, NOW);
  expect(cells).toHaveLength(table.definitions.length);
  return cells;
}

const metadata = { name: "x", namespace: "default", creationTimestamp: "2026-01-01T00:00:00Z" };
const terminated = (exitCode: number, more = {}) => ({ terminated: { exitCode, ...more } });

describe("the row of a pod", () => {
  const rows: readonly [what: string, pod: Record<string, unknown>, ready: string, status: string, restarts: string][] =
    [
      ["pending without statuses", { status: { phase: "Pending" } }, "0/1", "Pending", "0"],
      [
        "running",
        { status: { phase: "Running", containerStatuses: [{ ready: true, restartCount: 0, state: { running: {} } }] } },
        "1/1",
        "Running",
        "0",
      ],
      [
        "crash loop with its last restart",
        {
          status: {
            phase: "Running",
            containerStatuses: [
              {
                restartCount: 3,
                state: { waiting: { reason: "CrashLoopBackOff" } },
                lastState: terminated(1, { finishedAt: "2026-01-01T23:55:00Z" }),
              },
            ],
          },
        },
        "0/1",
        "CrashLoopBackOff",
        "3 (5m ago)",
      ],
      [
        "completed",
        {
          status: {
            phase: "Succeeded",
            containerStatuses: [{ restartCount: 0, state: terminated(0, { reason: "Completed" }) }],
          },
        },
        "0/1",
        "Completed",
        "0",
      ],
      [
        "an init container to go",
        {
          spec: { initContainers: [{ name: "i" }, { name: "j" }], containers: [{ name: "c" }] },
          status: {
            phase: "Pending",
            initContainerStatuses: [
              { name: "i", restartCount: 0, state: terminated(0) },
              { name: "j", restartCount: 2, state: { running: {} } },
            ],
          },
        },
        "0/1",
        "Init:1/2",
        "2",
      ],
      [
        "a sidecar counts",
        {
          spec: { initContainers: [{ name: "s", restartPolicy: "Always" }], containers: [{ name: "c" }] },
          status: {
            phase: "Running",
            initContainerStatuses: [{ name: "s", started: true, ready: true, restartCount: 1, state: { running: {} } }],
            containerStatuses: [{ ready: true, restartCount: 0, state: { running: {} } }],
          },
        },
        "2/2",
        "Running",
        "1",
      ],
      [
        "an init error",
        {
          spec: { initContainers: [{ name: "i" }], containers: [{ name: "c" }] },
          status: { phase: "Pending", initContainerStatuses: [{ name: "i", restartCount: 0, state: terminated(3) }] },
        },
        "0/1",
        "Init:ExitCode:3",
        "0",
      ],
      [
        "a signal",
        { status: { phase: "Failed", containerStatuses: [{ restartCount: 0, state: terminated(0, { signal: 9 }) }] } },
        "0/1",
        "Signal:9",
        "0",
      ],
    ];
  it.each(rows)("%s", (_, pod, ready, status, restarts) => {
    const cells = row("", "pods", { metadata, spec: { containers: [{ name: "c" }] }, ...pod });
    expect(cells.slice(1, 5)).toEqual([ready, status, restarts, "24h"]);
  });

  it("being deleted is Terminating", () => {
    const deleted = { ...metadata, deletionTimestamp: "2026-01-02T00:00:00Z" };
    expect(row("", "pods", { metadata: deleted, spec: { containers: [{}] }, status: { phase: "Running" } })[2]).toBe(
      "Terminating",
    );
  });
});

describe("other rows", () => {
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
    ["network policy", "networking.k8s.io", "networkpolicies", { spec: { podSelector: {} } }, ["x", "<none>", "24h"]],
  ];
  it.each(rows)("%s", (_, group, resource, object, cells) => {
    expect(row(group, resource, { metadata, ...object })).toEqual(cells);
  });

  it("an event shows when it was last seen and by whom", () => {
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
