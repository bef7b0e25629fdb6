import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { builtinRecord, builtinRecords } from "../../../src/server/builtin/index.js";
import { resolveStrategy } from "../../../src/server/registry/default-strategy.js";

const NOW = Date.parse("2026-01-02T00:00:00Z");

function row(group: string, resource: string, object: KubeObject): readonly unknown[] {
  const table = builtinRecord(group, resource)?.strategy?.columns;
  if (table === undefined) throw new Error(`no table for ${resource}`);
  const cells = table.cells(object, NOW);
  expect(cells.slice(0, table.definitions.length)).toHaveLength(table.definitions.length);
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
        "completed beside one that failed",
        {
          status: {
            phase: "Failed",
            containerStatuses: [
              { restartCount: 0, state: terminated(0, { reason: "Completed" }) },
              { restartCount: 0, state: terminated(2, { reason: "Error" }) },
            ],
          },
        },
        "0/1",
        "Error",
        "0",
      ],
      [
        "completed beside a ready one, and the pod is ready",
        {
          status: {
            phase: "Running",
            conditions: [{ type: "Ready", status: "True" }],
            containerStatuses: [
              { restartCount: 0, state: terminated(0, { reason: "Completed" }) },
              { ready: true, restartCount: 0, state: { running: {} } },
              { restartCount: 0, state: terminated(2, { reason: "Error" }) },
            ],
          },
        },
        "1/1",
        "Running",
        "0",
      ],
      [
        "a restart of a sidecar before Initialized holds again",
        {
          spec: { initContainers: [{ name: "s", restartPolicy: "Always" }], containers: [{ name: "c" }] },
          status: {
            phase: "Running",
            conditions: [{ type: "Initialized", status: "True" }],
            initContainerStatuses: [
              {
                name: "s",
                restartCount: 5,
                state: { waiting: { reason: "CrashLoopBackOff" } },
                lastState: terminated(1, { finishedAt: "2026-01-01T23:00:00Z" }),
              },
            ],
            containerStatuses: [{ ready: true, restartCount: 1, state: { running: {} } }],
          },
        },
        "1/2",
        "Init:CrashLoopBackOff",
        "6 (60m ago)",
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

  it("says of a pod that has ended that it is completed", () => {
    const conditionsOf = (phase: string) =>
      builtinRecord("", "pods")?.strategy?.columns?.conditions?.({ metadata, status: { phase } });
    const ended = { type: "Completed", status: "True" };
    expect(conditionsOf("Running")).toEqual([]);
    expect(conditionsOf("Succeeded")).toEqual([
      { ...ended, reason: "Succeeded", message: "The pod has completed successfully." },
    ]);
    expect(conditionsOf("Failed")).toEqual([{ ...ended, reason: "Failed", message: "The pod failed." }]);
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
      ["x", "p", "s", "n", "example.org/a", "Issued"],
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

describe("every table", () => {
  const tables = builtinRecords.map(({ group, resource, strategy }) => {
    const name = group === "" ? resource : `${resource}.${group}`;
    return [name, resolveStrategy(strategy).columns.definitions] as const;
  });

  it.each(tables)("of %s says what each column shows, no two in the same words", (_, definitions) => {
    const descriptions = definitions.map(({ description }) => description);
    expect(descriptions.filter((text) => !/^\S+ .*\.$/.test(text))).toEqual([]);
    expect(new Set(descriptions).size).toBe(descriptions.length);
  });

  it("has columns of formats other than a name's nowhere but where kube-apiserver has them", () => {
    const odd = tables.flatMap(([resource, definitions]) =>
      definitions.flatMap(({ name, format }) =>
        (name === "Name") === (format === "name") ? [] : [`${resource} ${name}`],
      ),
    );
    expect(odd).toEqual([
      "volumeattachments.storage.k8s.io Attacher",
      "storageversionmigrations.storagemigration.k8s.io Name",
    ]);
  });
});

it("rows of flow schemas come in the order in which requests are matched", () => {
  const order = builtinRecord("flowcontrol.apiserver.k8s.io", "flowschemas")?.strategy?.columns?.order;
  const schema = (name: string, matchingPrecedence: number) => ({ metadata: { name }, spec: { matchingPrecedence } });
  const schemas = [schema("c", 500), schema("b", 9000), schema("a", 9000), schema("d", 1)];
  expect(schemas.sort(order).map(({ metadata }) => metadata.name)).toEqual(["d", "c", "a", "b"]);
});
