import { v36 } from "../../helpers/server-traits.js";
import { describe, expect, it } from "vitest";
import { applyDefaults } from "../../helpers/apply-defaults.js";
import { type FieldError, formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { builtinRecord } from "../../../src/server/builtin/index.js";
import type { StrategyContext } from "../../../src/server/registry/strategy.js";

const context = v36 as StrategyContext;

/** The strategy of "apps/deployments" or "configmaps". */
const strategyOf = (resource: string) => {
  const [group, name] = resource.includes("/") ? resource.split("/") : ["", resource];
  return builtinRecord(group ?? "", name ?? "")?.strategy;
};

function problems(resource: string, group: string, kind: string, object: KubeObject): string[] {
  const draft = applyDefaults({ group, version: "v1", kind }, structuredClone(object));
  return (strategyOf(resource)?.validate?.(draft, context) ?? []).map((error: FieldError) => formatFieldError(error));
}

const container = { name: "c", image: "i" };
const labels = { app: "x" };
const template = { metadata: { labels }, spec: { containers: [container] } };

describe("validation of a new invalid object", () => {
  const rows: readonly [string, string, string, string, KubeObject, readonly string[]][] = [
    [
      "a deployment without a selector",
      "apps/deployments",
      "apps",
      "Deployment",
      { spec: { template } },
      [
        "spec.selector: Required value",
        'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
      ],
    ],
    [
      "a selector that picks other labels",
      "apps/deployments",
      "apps",
      "Deployment",
      { spec: { selector: { matchLabels: { app: "y" } }, template } },
      ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
    ],
    [
      "no containers",
      "apps/deployments",
      "apps",
      "Deployment",
      { spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: {} } } },
      ["spec.template.spec.containers: Required value"],
    ],
    [
      "negative replicas",
      "apps/deployments",
      "apps",
      "Deployment",
      { spec: { replicas: -1, selector: { matchLabels: labels }, template } },
      ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
    ],
    [
      "a container without an image, twice the same name",
      "pods",
      "",
      "Pod",
      { spec: { containers: [{ name: "c" }, container] } },
      ["spec.containers[0].image: Required value", 'spec.containers[1].name: Duplicate value: "c"'],
    ],
    [
      "an unknown restart policy",
      "pods",
      "",
      "Pod",
      { spec: { restartPolicy: "Sometimes", containers: [container] } },
      ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      "a mount without its volume",
      "pods",
      "",
      "Pod",
      { spec: { containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/v" }] }] } },
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      "a request above its limit",
      "pods",
      "",
      "Pod",
      {
        spec: { containers: [{ ...container, resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }] },
      },
      ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [
      "a job that always restarts",
      "batch/jobs",
      "batch",
      "Job",
      { spec: { manualSelector: true, selector: { matchLabels: labels }, template } },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    ["a service without ports", "services", "", "Service", { spec: {} }, ["spec.ports: Required value"]],
    [
      "a port beyond the range",
      "services",
      "",
      "Service",
      { spec: { ports: [{ port: 70000 }] } },
      [
        "spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive",
        "spec.ports[0].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
      ],
    ],
    [
      "a path without its type",
      "networking.k8s.io/ingresses",
      "networking.k8s.io",
      "Ingress",
      {
        spec: {
          rules: [{ http: { paths: [{ path: "/", backend: { service: { name: "s", port: { number: 80 } } } }] } }],
        },
      },
      ["spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified"],
    ],
    [
      "a config map's bad key",
      "configmaps",
      "",
      "ConfigMap",
      { data: { "a/b": "" } },
      [
        "data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ],
    ],
    [
      "a claim that asks for nothing",
      "persistentvolumeclaims",
      "",
      "PersistentVolumeClaim",
      { spec: {} },
      [
        "spec.accessModes: Required value: at least 1 access mode is required",
        "spec.resources[storage]: Required value",
      ],
    ],
    [
      "fewer at most than at least",
      "autoscaling/horizontalpodautoscalers",
      "autoscaling",
      "HorizontalPodAutoscaler",
      { spec: { minReplicas: 3, maxReplicas: 2, scaleTargetRef: { kind: "Deployment", name: "d" } } },
      ["spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`"],
    ],
    [
      "a schedule of two fields",
      "batch/cronjobs",
      "batch",
      "CronJob",
      {
        spec: {
          schedule: "* *",
          jobTemplate: { spec: { template: { spec: { containers: [container], restartPolicy: "Never" } } } },
        },
      },
      ['spec.schedule: Invalid value: "* *": expected exactly 5 fields, found 2: [* *]'],
    ],
    [
      "a TLS secret without its keys",
      "secrets",
      "",
      "Secret",
      { type: "kubernetes.io/tls" },
      ["data[tls.crt]: Required value", "data[tls.key]: Required value"],
    ],
  ];
  it.each(rows)("returns kube-apiserver's errors for: %s", (_, resource, group, kind, object, expected) => {
    expect(problems(resource, group, kind, object)).toEqual(expected);
  });
});

describe("validation refuses an update that changes", () => {
  const change = (resource: string, old: KubeObject, object: KubeObject) =>
    (strategyOf(resource)?.validateUpdate?.(object, old, context) ?? []).map(formatFieldError);

  it("the role reference of a RoleBinding", () => {
    const RBAC = "rbac.authorization.k8s.io";
    const binding = (name: string) => ({ roleRef: { apiGroup: RBAC, kind: "Role", name } });
    expect(change("rbac.authorization.k8s.io/rolebindings", binding("a"), binding("b"))).toEqual([
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: cannot change roleRef',
    ]);
  });

  it("the data of a ConfigMap whose immutable is true", () => {
    expect(change("configmaps", { immutable: true, data: { a: "1" } }, { immutable: true, data: { a: "2" } })).toEqual([
      "data: Forbidden: field is immutable when `immutable` is set",
    ]);
  });

  it("the service name of a StatefulSet", () => {
    const spec = { selector: { matchLabels: labels }, template: { ...template } };
    const set = (serviceName: string) =>
      applyDefaults(
        { group: "apps", version: "v1", kind: "StatefulSet" },
        structuredClone({ spec: { ...spec, serviceName } }),
      );
    expect(change("apps/statefulsets", set("a"), set("b"))).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ]);
  });
});
