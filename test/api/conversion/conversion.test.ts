import { expect, it } from "vitest";
import { publishedScheme } from "../../../src/api/scheme/published.js";

const HPA = (version: string) => ({ group: "autoscaling", version, kind: "HorizontalPodAutoscaler" });

const autoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "x", annotations: { mine: "1" } },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
    minReplicas: 1,
    maxReplicas: 5,
    metrics: [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } },
      { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
      { type: "Pods", pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "10" } } },
      { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "30" } } },
    ],
    behavior: {
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: "Max",
        policies: [{ type: "Pods", value: 4, periodSeconds: 15 }],
      },
    },
  },
};

it("autoscaling/v2 survives a journey through v1", () => {
  const v1 = publishedScheme().convert(autoscaler, HPA("v1"));
  expect(v1.spec).toEqual({
    scaleTargetRef: autoscaler.spec.scaleTargetRef,
    minReplicas: 1,
    maxReplicas: 5,
    targetCPUUtilizationPercentage: 70,
  });
  expect(Object.keys(v1.metadata?.annotations ?? {})).toEqual([
    "mine",
    "autoscaling.alpha.kubernetes.io/metrics",
    "autoscaling.alpha.kubernetes.io/behavior",
  ]);
  expect(publishedScheme().convert(v1, HPA("v2"))).toEqual(autoscaler);
});

it("events are the same under both groups' names", () => {
  const core = { group: "", version: "v1", kind: "Event" };
  const events = { group: "events.k8s.io", version: "v1", kind: "Event" };
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e" },
    involvedObject: { kind: "Pod", name: "p" },
    message: "hello",
    reportingComponent: "me",
    count: 2,
  };
  const other = publishedScheme().convert(event, events);
  expect(other).toMatchObject({ apiVersion: "events.k8s.io/v1", regarding: { name: "p" }, note: "hello" });
  expect(other).toMatchObject({ reportingController: "me", deprecatedCount: 2 });
  expect(publishedScheme().convert(other, core)).toEqual(event);
});
