import { expect, test } from "vitest";
import { uncovered } from "../../../src/machinery/rbac/covers.js";
import { type PolicyRule, readRules, resourceText } from "../../../src/machinery/rbac/policy-rule.js";

const rule = (fields: Partial<PolicyRule>): readonly PolicyRule[] => readRules([fields]);
const pods = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const logs = { ...pods, resources: ["pods/log"] };
const url = (...nonResourceURLs: string[]) => ({ verbs: ["get"], nonResourceURLs });

/** Expectations: component-helpers' auth/rbac/validation of 0.36, what a rule covers. */
test.each<[string, Partial<PolicyRule>, Partial<PolicyRule>, boolean]>([
  ["itself", pods, pods, true],
  ["any verb", { ...pods, verbs: ["*"] }, pods, true],
  ["any group", { ...pods, apiGroups: ["*"] }, pods, true],
  ["any resource", { ...pods, resources: ["*"] }, logs, true],
  ["a subresource of any resource", { ...pods, resources: ["*/log"] }, logs, true],
  ["not another subresource", { ...pods, resources: ["*/exec"] }, logs, false],
  ["not a resource for its subresource", { ...pods, resources: ["*/log"] }, pods, false],
  ["not a subresource for its resource", pods, logs, false],
  ["not another verb", { ...pods, verbs: ["list"] }, pods, false],
  ["not another group", { ...pods, apiGroups: ["apps"] }, pods, false],
  ["every name", pods, { ...pods, resourceNames: ["web"] }, true],
  ["a name", { ...pods, resourceNames: ["web", "db"] }, { ...pods, resourceNames: ["web"] }, true],
  ["not another name", { ...pods, resourceNames: ["db"] }, { ...pods, resourceNames: ["web"] }, false],
  ["not every name", { ...pods, resourceNames: ["web"] }, pods, false],
  ["no name by a star", { ...pods, resourceNames: ["*"] }, { ...pods, resourceNames: ["web"] }, false],
  ["a path", url("/healthz", "/logs"), url("/logs"), true],
  ["what a star stands for", url("/api/*"), url("/api/v1"), true],
  ["what several stars stand for", url("/api**"), url("/apis"), true],
  ["not what stands before a star", url("/api/*"), url("/api"), false],
  ["no star in the middle", url("/*/v1"), url("/api/v1"), false],
  ["not a path for resources", { ...url("*"), verbs: ["*"] }, pods, false],
])("whether an RBAC rule covers another: %s", (_what, held, wanted, covers) => {
  expect(uncovered(rule(held), rule(wanted)).length).toBe(covers ? 0 : 1);
});

test("several RBAC rules together can cover what none of them covers alone", () => {
  const held = readRules([pods, logs, url("/logs")]);
  const wanted = rule({ verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "pods/log"] });
  expect(uncovered(held, wanted)).toEqual([
    ...readRules([{ ...pods, verbs: ["list"] }]),
    ...readRules([{ ...logs, verbs: ["list"] }]),
  ]);
  expect(uncovered([], [])).toEqual([]);
});

/** Expectations: kubectl's describe.CombineResourceGroup. */
test.each([
  [{}, ""],
  [pods, "pods"],
  [logs, "pods/log"],
  [{ ...pods, apiGroups: ["apps"], resources: ["deployments/scale/x"] }, "deployments.apps/scale/x"],
  [{ ...pods, apiGroups: ["*"], resources: ["*"] }, "*.*"],
])("the resource of the RBAC rule %j is printed as %j", (fields, shown) => {
  expect(readRules([fields]).map(resourceText)).toEqual([shown]);
});
