import { v36 } from "../../helpers/server-traits.js";
import { expect, it } from "vitest";
import { newestRelease } from "../../../src/api/facts/index.js";
import { bootstrapObjects } from "../../../src/api/bootstrap/index.js";
import { builtinRecord } from "../../../src/server/builtin/index.js";
import type { StrategyContext } from "../../../src/server/registry/strategy.js";

const objects = bootstrapObjects(newestRelease);

it("every built-in object passes its own validation and is there once", () => {
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata?.namespace ?? ""}/${metadata?.name}`);
  expect(new Set(names).size).toBe(names.length);
  const resources: Record<string, string> = {
    ClusterRole: "clusterroles",
    ClusterRoleBinding: "clusterrolebindings",
    Role: "roles",
    RoleBinding: "rolebindings",
  };
  for (const object of objects) {
    const strategy = builtinRecord("rbac.authorization.k8s.io", resources[object.kind ?? ""] ?? "")?.strategy;
    expect(strategy?.validate?.(object, v36 as StrategyContext) ?? []).toEqual([]);
  }
});

it("aggregated roles hold the rules of those that aggregate to them", () => {
  const role = (name: string) =>
    objects.find(({ kind, metadata }) => kind === "ClusterRole" && metadata?.name === name);
  const rules = (name: string) => role(name)?.rules as unknown[];
  expect(rules("admin")).toEqual(expect.arrayContaining(rules("edit")));
  expect(rules("edit")).toEqual(expect.arrayContaining(rules("view")));
  expect(rules("cluster-admin")).toEqual([
    { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
    { nonResourceURLs: ["*"], verbs: ["*"] },
  ]);
});

it("K36-C: the APIServices of resource.k8s.io have the priority of discovery.k8s.io, above flowcontrol's", () => {
  const priorityOf = (name: string) =>
    (objects.find(({ metadata }) => metadata?.name === name)?.spec as { groupPriorityMinimum: number } | undefined)
      ?.groupPriorityMinimum;
  expect(priorityOf("v1.resource.k8s.io")).toBe(16200);
  expect(priorityOf("v1.discovery.k8s.io")).toBe(16200);
  expect(priorityOf("v1.flowcontrol.apiserver.k8s.io")).toBe(16100);
});

it("bindings name roles that exist", () => {
  const names = new Set(
    objects.filter(({ kind }) => kind === "ClusterRole" || kind === "Role").map(({ metadata }) => metadata?.name),
  );
  for (const binding of objects.filter(({ kind }) => kind?.endsWith("RoleBinding"))) {
    expect(names).toContain((binding.roleRef as { name: string }).name);
  }
});
