import { expect, test } from "vitest";
import { resources } from "../../src/api/facts/index.js";
import { applyPlace, kindKey, PLACED_KINDS } from "../../src/polymorphic-helpers/apply-order.js";
import type { GroupKind } from "../../src/machinery/meta/gvk.js";

const kind = (key: string): GroupKind => {
  const [name = "", ...group] = key.split(".");
  return { group: group.join("."), kind: name };
};

test("every kind in the order of apply exists in Kubernetes", () => {
  const known = new Set(resources().map(kindKey));
  expect(PLACED_KINDS.filter((key) => !known.has(key))).toEqual([]);
});

test("no kind stands twice in the order of apply", () => {
  expect(new Set(PLACED_KINDS).size).toBe(PLACED_KINDS.length);
});

test.each([
  ["Namespace", "CustomResourceDefinition.apiextensions.k8s.io"],
  ["CustomResourceDefinition.apiextensions.k8s.io", "Cart.example.com"],
  ["ServiceAccount", "Deployment.apps"],
  ["Role.rbac.authorization.k8s.io", "RoleBinding.rbac.authorization.k8s.io"],
  ["ConfigMap", "Pod"],
  ["PersistentVolumeClaim", "StatefulSet.apps"],
  ["Service", "Deployment.apps"],
  ["Deployment.apps", "HorizontalPodAutoscaler.autoscaling"],
  ["Deployment.apps", "Cart.example.com"],
  ["Cart.example.com", "ValidatingWebhookConfiguration.admissionregistration.k8s.io"],
])("apply writes %s before %s", (first, second) => {
  expect(applyPlace(kind(first))).toBeLessThan(applyPlace(kind(second)));
});

test("apply does not confuse kinds of the same name in another group", () => {
  expect(applyPlace(kind("Service.serving.example.com"))).toBe(applyPlace(kind("Cart.example.com")));
});
