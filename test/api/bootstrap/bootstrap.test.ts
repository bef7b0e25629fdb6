import { v36 } from "../../helpers/server-traits.js";
import { expect, it } from "vitest";
import { newestRelease, releaseOf } from "../../../src/api/facts/index.js";
import { bootstrapObjects } from "../../../src/api/bootstrap/index.js";
import { builtinRecord } from "../../../src/server/builtin/index.js";
import type { StrategyContext } from "../../../src/server/registry/strategy.js";

const objects = bootstrapObjects(newestRelease);

it("every object that the server creates at its start passes validation and appears once", () => {
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

it("the server's aggregated ClusterRoles contain the rules of the roles that they select", () => {
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

it("the server's role bindings name roles that exist", () => {
  const names = new Set(
    objects.filter(({ kind }) => kind === "ClusterRole" || kind === "Role").map(({ metadata }) => metadata?.name),
  );
  for (const binding of objects.filter(({ kind }) => kind?.endsWith("RoleBinding"))) {
    expect(names).toContain((binding.roleRef as { name: string }).name);
  }
});

it("K37-125: the default roles of 1.37 differ from those of 1.36 in names and rules", async () => {
  const [before, since] = await Promise.all(["1.36", "1.37"].map(async (of) => bootstrapObjects(await releaseOf(of))));
  const names = (all = objects) => new Set(all.map(({ kind, metadata }) => `${kind} ${metadata?.name}`));
  const added = [...names(since)].filter((name) => !names(before).has(name) && name.includes("Role"));
  expect(added.toSorted()).toEqual(ADDED_IN_1_37);
  const rulesOf = (all = objects, name = "") => {
    const role = all.find(({ kind, metadata }) => kind === "ClusterRole" && metadata?.name === name);
    return role?.rules as { verbs: string[]; resources: string[] }[];
  };
  const verbsOf = (all: typeof objects | undefined, name: string, resource: string) =>
    rulesOf(all, name).find(({ resources }) => resources.includes(resource))?.verbs;
  const autoscaler = "system:controller:horizontal-pod-autoscaler";
  expect([before, since].map((all) => verbsOf(all, autoscaler, "pods"))).toEqual([["list"], ["list", "watch"]]);
  const migrator = "system:controller:storage-version-migrator-controller";
  expect(verbsOf(since, migrator, "*")).toEqual(["list", "patch"]);
  expect([...names(before)].filter((name) => !names(since).has(name) && name.includes("Role"))).toEqual([]);
});

const ADDED_IN_1_37 = ["ClusterRole", "ClusterRoleBinding"].flatMap((kind) =>
  [
    "system:cluster-trust-bundle-discovery",
    "system:controller:device-taint-eviction-controller",
    "system:controller:kube-apiserver-serving-clustertrustbundle-publisher",
    "system:controller:podcertificaterequestcleaner",
    "system:controller:storage-version-migrator-controller",
  ].map((name) => `${kind} ${name}`),
);
