import { describe, expect, it } from "vitest";
import { allScheme } from "../../../src/api/scheme/all.js";
import type { ReadonlyFields } from "../../../src/machinery/meta/access.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { bothWays, type ConversionRow, testConversions, testDefaults, wire } from "../../helpers/wire-conversions.js";

// Expectations: kubernetes' pkg/apis/autoscaling/{v1,v2,v2beta1,v2beta2}/conversion.go and defaults.go. How Go writes the
// types in annotations: k8s.io/api's autoscaling/v1/types.go; the behaviour's is the internal type, without JSON names.

const METRICS = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior";
const DOWN = "autoscaling.alpha.kubernetes.io/scale-down-tolerance";
const UP = "autoscaling.alpha.kubernetes.io/scale-up-tolerance";

const kind = "HorizontalPodAutoscaler";
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const replicas = { scaleTargetRef, minReplicas: 1, maxReplicas: 5 };

const resource = (name: string, target: ReadonlyFields) => ({ type: "Resource", resource: { name, target } });
const utilization = (percent: number) => ({ type: "Utilization", averageUtilization: percent });
const cpu = (percent: number) => resource("cpu", utilization(percent));
const memory = resource("memory", { type: "AverageValue", averageValue: "1Gi" });

/** `annotations` beside one that every conversion keeps. */
const autoscaler = (
  spec: ReadonlyFields,
  annotations: Record<string, string> = {},
  status?: ReadonlyFields,
): KubeObject => ({
  metadata: { name: "web", annotations: { mine: "1", ...annotations } },
  spec: { ...replicas, ...spec },
  ...(status && { status }),
});

const v1ToV2 = (name: string, input: KubeObject, expected: KubeObject): ConversionRow => ({
  name,
  kind,
  from: "autoscaling/v1",
  to: "autoscaling/v2",
  input,
  expected,
});
const v2ToV1 = (name: string, input: KubeObject, expected: KubeObject): ConversionRow => ({
  ...v1ToV2(name, input, expected),
  from: "autoscaling/v2",
  to: "autoscaling/v1",
});

describe("converting a HorizontalPodAutoscaler between autoscaling/v1 and v2", () => {
  const memoryJson = '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]';
  const replicasNow = { currentReplicas: 1, desiredReplicas: 2 };
  const condition = { type: "ScalingActive", status: "True", lastTransitionTime: "2026-01-02T03:04:05Z", reason: "R" };
  testConversions([
    ...bothWays(
      v1ToV2(
        "the field for CPU is a metric",
        autoscaler({ targetCPUUtilizationPercentage: 70 }),
        autoscaler({ metrics: [cpu(70)] }),
      ),
    ),
    v1ToV2("no metric at all is 80 % of CPU", autoscaler({}), autoscaler({ metrics: [cpu(80)] })),
    ...bothWays(
      v1ToV2(
        "other metrics are an annotation, and come before CPU",
        autoscaler({ targetCPUUtilizationPercentage: 70 }, { [METRICS]: memoryJson }),
        autoscaler({ metrics: [memory, cpu(70)] }),
      ),
    ),
    v2ToV1(
      "CPU that comes first in v2",
      autoscaler({ metrics: [cpu(70), memory] }),
      autoscaler({ targetCPUUtilizationPercentage: 70 }, { [METRICS]: memoryJson }),
    ),
    v2ToV1(
      "only the first of several utilizations of CPU is kept",
      autoscaler({ metrics: [cpu(70), cpu(60)] }),
      autoscaler({ targetCPUUtilizationPercentage: 70 }),
    ),
    v2ToV1(
      "CPU by value is the first CPU, so a utilization behind it is lost",
      autoscaler({ metrics: [resource("cpu", { type: "AverageValue", averageValue: "500m" }), cpu(60)] }),
      autoscaler({}, { [METRICS]: '[{"type":"Resource","resource":{"name":"cpu","targetAverageValue":"500m"}}]' }),
    ),
    v1ToV2(
      "an annotation that is not JSON is dropped",
      autoscaler({}, { [METRICS]: "{", [CURRENT]: "x", [CONDITIONS]: "[", [BEHAVIOR]: "no" }),
      autoscaler({ metrics: [cpu(80)] }),
    ),
    v1ToV2(
      "an annotation that does not fit the type is dropped",
      autoscaler(
        {},
        {
          [METRICS]: '[{"type":"Resource","resource":{"name":"m","targetAverageUtilization":"x"}}]',
          [BEHAVIOR]: '{"ScaleUp":{"Policies":3}}',
        },
      ),
      autoscaler({ metrics: [cpu(80)] }),
    ),
    v1ToV2(
      "tolerances' annotations are dropped",
      autoscaler({ targetCPUUtilizationPercentage: 70 }, { [DOWN]: "1", [UP]: "1" }),
      autoscaler({ metrics: [cpu(70)] }),
    ),
    v2ToV1(
      "annotations of before the conversion are dropped",
      autoscaler({ metrics: [cpu(70)] }, { [METRICS]: "[]", [BEHAVIOR]: "{}", [UP]: "1", [CONDITIONS]: "[]" }),
      autoscaler({ targetCPUUtilizationPercentage: 70 }),
    ),
    ...bothWays(
      v1ToV2(
        "pods",
        autoscaler(
          {},
          {
            [METRICS]:
              '[{"type":"Pods","pods":{"metricName":"qps","targetAverageValue":"10","selector":{"matchLabels":{"a":"b"}}}}]',
          },
        ),
        autoscaler({
          metrics: [
            {
              type: "Pods",
              pods: {
                metric: { name: "qps", selector: { matchLabels: { a: "b" } } },
                target: { type: "AverageValue", averageValue: "10" },
              },
            },
          ],
        }),
      ),
    ),
    ...bothWays(
      v1ToV2(
        "object by value",
        autoscaler(
          {},
          {
            [METRICS]:
              '[{"type":"Object","object":{"target":{"kind":"Ingress","name":"i"},"metricName":"rps","targetValue":"2k"}}]',
          },
        ),
        autoscaler({
          metrics: [
            {
              type: "Object",
              object: {
                describedObject: { kind: "Ingress", name: "i" },
                metric: { name: "rps" },
                target: { type: "Value", value: "2k" },
              },
            },
          ],
        }),
      ),
    ),
    ...bothWays(
      v1ToV2(
        "object by average value, which has a value of 0 too",
        autoscaler(
          {},
          {
            [METRICS]:
              '[{"type":"Object","object":{"target":{"kind":"Ingress","name":"i","apiVersion":"networking.k8s.io/v1"},"metricName":"rps","targetValue":"0","averageValue":"7"}}]',
          },
        ),
        autoscaler({
          metrics: [
            {
              type: "Object",
              object: {
                describedObject: { kind: "Ingress", name: "i", apiVersion: "networking.k8s.io/v1" },
                metric: { name: "rps" },
                target: { type: "AverageValue", value: "0", averageValue: "7" },
              },
            },
          ],
        }),
      ),
    ),
    ...bothWays(
      v1ToV2(
        "external by value and by average value",
        autoscaler(
          {},
          {
            [METRICS]:
              '[{"type":"External","external":{"metricName":"q","metricSelector":{"matchLabels":{"a":"b"}},"targetValue":"30"}},{"type":"External","external":{"metricName":"r","targetAverageValue":"4"}}]',
          },
        ),
        autoscaler({
          metrics: [
            {
              type: "External",
              external: {
                metric: { name: "q", selector: { matchLabels: { a: "b" } } },
                target: { type: "Value", value: "30" },
              },
            },
            {
              type: "External",
              external: { metric: { name: "r" }, target: { type: "AverageValue", averageValue: "4" } },
            },
          ],
        }),
      ),
    ),
    ...bothWays(
      v1ToV2(
        "one container's resource",
        autoscaler(
          {},
          {
            [METRICS]:
              '[{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":50,"container":"app"}}]',
          },
        ),
        autoscaler({
          metrics: [
            {
              type: "ContainerResource",
              containerResource: { name: "cpu", target: utilization(50), container: "app" },
            },
          ],
        }),
      ),
    ),
    v2ToV1(
      "characters that Go escapes",
      autoscaler({
        metrics: [
          { type: "Pods", pods: { metric: { name: "a<b" }, target: { type: "AverageValue", averageValue: "1" } } },
        ],
      }),
      autoscaler({}, { [METRICS]: '[{"type":"Pods","pods":{"metricName":"a\\u003cb","targetAverageValue":"1"}}]' }),
    ),
    ...bothWays(
      v1ToV2(
        "behaviour",
        autoscaler(
          { targetCPUUtilizationPercentage: 70 },
          {
            [BEHAVIOR]:
              '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":"50m"},"ScaleDown":null}',
          },
        ),
        autoscaler({
          metrics: [cpu(70)],
          behavior: {
            scaleUp: {
              stabilizationWindowSeconds: 0,
              selectPolicy: "Max",
              policies: [{ type: "Pods", value: 4, periodSeconds: 15 }],
              tolerance: "50m",
            },
          },
        }),
      ),
    ),
    v1ToV2(
      "names within the behaviour in any case, as Go reads them",
      autoscaler({ targetCPUUtilizationPercentage: 70 }, { [BEHAVIOR]: '{"scaledown":{"selectPolicy":"Disabled"}}' }),
      autoscaler({ metrics: [cpu(70)], behavior: { scaleDown: { selectPolicy: "Disabled" } } }),
    ),
    v2ToV1(
      "an empty behaviour is an annotation",
      autoscaler({ metrics: [cpu(70)], behavior: {} }),
      autoscaler({ targetCPUUtilizationPercentage: 70 }, { [BEHAVIOR]: '{"ScaleUp":null,"ScaleDown":null}' }),
    ),
    v1ToV2(
      "and that annotation is no behaviour",
      autoscaler({ targetCPUUtilizationPercentage: 70 }, { [BEHAVIOR]: '{"ScaleUp":null,"ScaleDown":null}' }),
      autoscaler({ metrics: [cpu(70)] }),
    ),
    v1ToV2(
      "what CPU is used now",
      autoscaler({ targetCPUUtilizationPercentage: 70 }, {}, { ...replicasNow, currentCPUUtilizationPercentage: 33 }),
      autoscaler(
        { metrics: [cpu(70)] },
        {},
        {
          ...replicasNow,
          currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 33 } } }],
        },
      ),
    ),
    v2ToV1(
      "is in the field and, with a value of 0, in the annotation",
      autoscaler(
        { metrics: [cpu(70)] },
        {},
        {
          ...replicasNow,
          currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 33 } } }],
        },
      ),
      autoscaler(
        { targetCPUUtilizationPercentage: 70 },
        {
          [CURRENT]:
            '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":33,"currentAverageValue":"0"}}]',
        },
        { ...replicasNow, currentCPUUtilizationPercentage: 33 },
      ),
    ),
    v1ToV2(
      "the annotation knows more than the field",
      autoscaler(
        { targetCPUUtilizationPercentage: 70 },
        {
          [CURRENT]:
            '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":33,"currentAverageValue":"330m"}}]',
        },
        { ...replicasNow, currentCPUUtilizationPercentage: 99 },
      ),
      autoscaler(
        { metrics: [cpu(70)] },
        {},
        {
          ...replicasNow,
          currentMetrics: [
            { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 33, averageValue: "330m" } } },
          ],
        },
      ),
    ),
    ...bothWays(
      v1ToV2(
        "other metrics now",
        autoscaler(
          { targetCPUUtilizationPercentage: 70 },
          {
            [CURRENT]:
              '[{"type":"Object","object":{"target":{"kind":"Ingress","name":"i"},"metricName":"rps","currentValue":"0","averageValue":"7"}},{"type":"Pods","pods":{"metricName":"qps","currentAverageValue":"9"}},{"type":"ContainerResource","containerResource":{"name":"cpu","currentAverageValue":"1","container":"app"}},{"type":"External","external":{"metricName":"q","currentValue":"3","currentAverageValue":"1"}}]',
          },
          replicasNow,
        ),
        autoscaler(
          { metrics: [cpu(70)] },
          {},
          {
            ...replicasNow,
            currentMetrics: [
              {
                type: "Object",
                object: {
                  describedObject: { kind: "Ingress", name: "i" },
                  metric: { name: "rps" },
                  current: { value: "0", averageValue: "7" },
                },
              },
              { type: "Pods", pods: { metric: { name: "qps" }, current: { averageValue: "9" } } },
              {
                type: "ContainerResource",
                containerResource: { name: "cpu", current: { averageValue: "1" }, container: "app" },
              },
              { type: "External", external: { metric: { name: "q" }, current: { value: "3", averageValue: "1" } } },
            ],
          },
        ),
      ),
    ),
    ...bothWays(
      v1ToV2(
        "conditions",
        autoscaler(
          { targetCPUUtilizationPercentage: 70 },
          {
            [CONDITIONS]:
              '[{"type":"ScalingActive","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"R"}]',
          },
          replicasNow,
        ),
        autoscaler({ metrics: [cpu(70)] }, {}, { ...replicasNow, conditions: [condition] }),
      ),
    ),
    v1ToV2(
      "conditions without a status in v1",
      autoscaler({ targetCPUUtilizationPercentage: 70 }, { [CONDITIONS]: JSON.stringify([condition]) }),
      autoscaler({ metrics: [cpu(70)] }, {}, { conditions: [condition] }),
    ),
  ]);
});

describe("converting a HorizontalPodAutoscaler from autoscaling/v2beta1", () => {
  const v2beta1 = (name: string, input: KubeObject, expected: KubeObject): ConversionRow => ({
    name,
    kind,
    from: "autoscaling/v2beta1",
    to: "autoscaling/v2",
    input,
    expected,
  });
  testConversions([
    ...bothWays(
      v2beta1(
        "metrics of every source, in their order",
        autoscaler({
          metrics: [
            { type: "Resource", resource: { name: "cpu", targetAverageUtilization: 70 } },
            { type: "Resource", resource: { name: "memory", targetAverageValue: "1Gi" } },
            {
              type: "Pods",
              pods: { metricName: "qps", targetAverageValue: "10", selector: { matchLabels: { a: "b" } } },
            },
            {
              type: "Object",
              object: { target: { kind: "Ingress", name: "i" }, metricName: "rps", targetValue: "2k" },
            },
            { type: "External", external: { metricName: "q", metricSelector: {}, targetValue: "30" } },
            {
              type: "ContainerResource",
              containerResource: { name: "cpu", targetAverageUtilization: 5, container: "c" },
            },
          ],
        }),
        autoscaler({
          metrics: [
            cpu(70),
            memory,
            {
              type: "Pods",
              pods: {
                metric: { name: "qps", selector: { matchLabels: { a: "b" } } },
                target: { type: "AverageValue", averageValue: "10" },
              },
            },
            {
              type: "Object",
              object: {
                describedObject: { kind: "Ingress", name: "i" },
                metric: { name: "rps" },
                target: { type: "Value", value: "2k" },
              },
            },
            {
              type: "External",
              external: { metric: { name: "q", selector: {} }, target: { type: "Value", value: "30" } },
            },
            { type: "ContainerResource", containerResource: { name: "cpu", target: utilization(5), container: "c" } },
          ],
        }),
      ),
    ),
    v2beta1("no metric stays none", autoscaler({}), autoscaler({})),
    ...bothWays(
      v2beta1(
        "conditions and metrics now",
        autoscaler(
          {},
          {},
          {
            currentMetrics: [
              { type: "Resource", resource: { name: "cpu", currentAverageUtilization: 3, currentAverageValue: "30m" } },
            ],
            conditions: [{ type: "AbleToScale", status: "True" }],
          },
        ),
        autoscaler(
          {},
          {},
          {
            currentMetrics: [
              { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 3, averageValue: "30m" } } },
            ],
            conditions: [{ type: "AbleToScale", status: "True" }],
          },
        ),
      ),
    ),
    ...bothWays(
      v2beta1(
        "behaviour is an annotation",
        autoscaler(
          {},
          {
            [BEHAVIOR]:
              '{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Min","Policies":null,"Tolerance":null}}',
          },
        ),
        autoscaler({ behavior: { scaleDown: { selectPolicy: "Min" } } }),
      ),
    ),
    v2beta1(
      "other versions' annotations are dropped",
      autoscaler({}, { [METRICS]: "[]", [CONDITIONS]: "[]", [DOWN]: "1" }),
      autoscaler({}),
    ),
    {
      ...v2beta1(
        "an object's value of 0 is written, and so is that of pods",
        autoscaler({
          metrics: [
            {
              type: "Object",
              object: {
                describedObject: { kind: "I", name: "i" },
                metric: { name: "m" },
                target: { type: "AverageValue", averageValue: "1" },
              },
            },
            { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue" } } },
          ],
        }),
        autoscaler({
          metrics: [
            {
              type: "Object",
              object: { target: { kind: "I", name: "i" }, metricName: "m", targetValue: "0", averageValue: "1" },
            },
            { type: "Pods", pods: { metricName: "m", targetAverageValue: "0" } },
          ],
        }),
      ),
      from: "autoscaling/v2",
      to: "autoscaling/v2beta1",
    },
    {
      ...v2beta1(
        "v1's annotation is v2beta1's field",
        autoscaler({}, { [METRICS]: '[{"type":"Pods","pods":{"metricName":"qps","targetAverageValue":"10"}}]' }),
        autoscaler({ metrics: [{ type: "Pods", pods: { metricName: "qps", targetAverageValue: "10" } }] }),
      ),
      from: "autoscaling/v1",
      to: "autoscaling/v2beta1",
    },
  ]);
});

describe("converting a HorizontalPodAutoscaler from autoscaling/v2beta2", () => {
  const v2beta2 = (name: string, input: KubeObject, expected: KubeObject): ConversionRow => ({
    name,
    kind,
    from: "autoscaling/v2beta2",
    to: "autoscaling/v2",
    input,
    expected,
  });
  testConversions([
    ...bothWays(
      v2beta2(
        "metrics are alike",
        autoscaler({ metrics: [cpu(70), memory] }),
        autoscaler({ metrics: [cpu(70), memory] }),
      ),
    ),
    ...bothWays(
      v2beta2(
        "tolerances are annotations",
        autoscaler({ behavior: { scaleUp: { selectPolicy: "Max" }, scaleDown: {} } }, { [UP]: "50m", [DOWN]: "100m" }),
        autoscaler({
          behavior: { scaleUp: { selectPolicy: "Max", tolerance: "50m" }, scaleDown: { tolerance: "100m" } },
        }),
      ),
    ),
    v2beta2(
      "a tolerance makes the rules it belongs to",
      autoscaler({}, { [DOWN]: "0.1" }),
      autoscaler({ behavior: { scaleDown: { tolerance: "100m" } } }),
    ),
    v2beta2(
      "other versions' annotations are dropped",
      autoscaler({}, { [METRICS]: "[]", [BEHAVIOR]: "{}" }),
      autoscaler({}),
    ),
  ]);

  it("is an error when a tolerance is not a quantity", () => {
    const source = { ...autoscaler({}, { [UP]: "much" }), apiVersion: "autoscaling/v2beta2", kind };
    expect(() => allScheme().convert(source, { group: "autoscaling", version: "v2" })).toThrow(
      /^failed to parse annotation "autoscaling.alpha.kubernetes.io\/scale-up-tolerance": /,
    );
  });
});

describe("the annotations map of an autoscaler, when a conversion empties or creates it", () => {
  testConversions([
    {
      name: "goes when none is left",
      kind,
      from: "autoscaling/v1",
      to: "autoscaling/v2",
      input: { metadata: { name: "x", annotations: { [METRICS]: "[]" } }, spec: replicas },
      expected: { metadata: { name: "x" }, spec: { ...replicas, metrics: [cpu(80)] } },
    },
  ]);

  it("lists of autoscalers are converted item by item", () => {
    const list = {
      apiVersion: "autoscaling/v1",
      kind: `${kind}List`,
      metadata: { resourceVersion: "7" },
      items: [autoscaler({ targetCPUUtilizationPercentage: 5 })],
    };
    expect(wire(allScheme().convert(list, { group: "autoscaling", version: "v2" }))).toEqual(
      wire({ ...list, apiVersion: "autoscaling/v2", items: [autoscaler({ metrics: [cpu(5)] })] }),
    );
  });
});

describe("default values of a HorizontalPodAutoscaler", () => {
  const spec = { scaleTargetRef, maxReplicas: 5 };
  const min = { ...spec, minReplicas: 1 };
  const rules = { behavior: { scaleUp: { tolerance: undefined } } };
  testDefaults([
    { name: "only the replicas", kind, version: "autoscaling/v1", input: { spec }, expected: { spec: min } },
    {
      name: "CPU, flat",
      kind,
      version: "autoscaling/v2beta1",
      input: { spec },
      expected: {
        spec: { ...min, metrics: [{ type: "Resource", resource: { name: "cpu", targetAverageUtilization: 80 } }] },
      },
    },
    {
      name: "CPU",
      kind,
      version: "autoscaling/v2beta2",
      input: { spec },
      expected: { spec: { ...min, metrics: [cpu(80)] } },
    },
    {
      name: "rules of behaviour",
      kind,
      version: "autoscaling/v2beta2",
      input: { spec: { ...spec, metrics: [memory], ...rules } },
      expected: {
        spec: {
          ...min,
          metrics: [memory],
          behavior: {
            scaleUp: {
              stabilizationWindowSeconds: 0,
              selectPolicy: "Max",
              policies: [
                { type: "Pods", value: 4, periodSeconds: 15 },
                { type: "Percent", value: 100, periodSeconds: 15 },
              ],
            },
            scaleDown: { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] },
          },
        },
      },
    },
    {
      name: "Scale has replicas of 0",
      kind: "Scale",
      version: "autoscaling/v1",
      input: { metadata: { name: "s" } },
      expected: { metadata: { name: "s" }, spec: { replicas: 0 } },
    },
  ]);

  it("a Scale is stored as autoscaling/v1", () => {
    expect(allScheme().kind({ group: "autoscaling", version: "v1", kind: "Scale" }).hub.version).toBe("v1");
  });
});
