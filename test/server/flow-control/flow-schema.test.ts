import { describe, expect, test } from "vitest";
import { readFlowSchema } from "../../../src/server/flow-control/flow-schema.js";
import { FlowSchemas, inOrderOfPrecedence } from "../../../src/server/flow-control/flow-schemas.js";
import type { PriorityLevel } from "../../../src/server/flow-control/priority-level.js";
import { parseRequestInfo } from "../../../src/server/request/request-info.js";

const ALL = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true };
const jane = { kind: "User", user: { name: "jane" } };

const schema = (name: string, matchingPrecedence: number, rules: readonly object[]) =>
  readFlowSchema({
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    metadata: { name, uid: name },
    spec: { matchingPrecedence, priorityLevelConfiguration: { name: "level" }, rules },
  });

const level = { name: "level", uid: "level" } as PriorityLevel;
const exempt = schema("exempt", 1, []);
const catchAll = schema("catch-all", 10_000, []);

function matched(schemas: readonly ReturnType<typeof schema>[], user: string, method: string, path: string): string {
  const all = inOrderOfPrecedence(schemas, { exempt, catchAll });
  const [name = "", ...groups] = user.split(",");
  const info = parseRequestInfo(method, path, new URLSearchParams());
  return new FlowSchemas(all, catchAll, () => level).classify({ info, user: { name, groups } }).schema.name;
}

const matches = (rule: object, user: string, method: string, path: string): boolean =>
  matched([schema("one", 500, [rule])], user, method, path) === "one";

describe("a FlowSchema", () => {
  test.each<[string, object, string, boolean]>([
    ["a user", jane, "jane", true],
    ["another user", jane, "john", false],
    ["every user", { kind: "User", user: { name: "*" } }, "john", true],
    ["a group", { kind: "Group", group: { name: "devs" } }, "john,ops,devs", true],
    ["another group", { kind: "Group", group: { name: "devs" } }, "devs,ops", false],
    ["every group", { kind: "Group", group: { name: "*" } }, "john", true],
    ["an account", account("shop", "web"), "system:serviceaccount:shop:web", true],
    ["another account", account("shop", "web"), "system:serviceaccount:shop:api", false],
    ["every account of a namespace", account("shop", "*"), "system:serviceaccount:shop:api", true],
    ["an account of a namespace that begins so", account("shop", "*"), "system:serviceaccount:shops:api", false],
    ["a user that is no account", account("shop", "*"), "shop:api", false],
  ])("matches %s", (_, subject, user, is) => {
    expect(matches({ subjects: [subject], resourceRules: [ALL] }, user, "GET", "/api/v1/pods")).toBe(is);
  });

  test.each<[string, object, string, string, boolean]>([
    ["every request", {}, "DELETE", "/apis/apps/v1/namespaces/a/deployments/b", true],
    ["a verb", { verbs: ["get", "list"] }, "GET", "/api/v1/pods", true],
    ["another verb", { verbs: ["get", "list"] }, "POST", "/api/v1/namespaces/a/pods", false],
    ["a group", { apiGroups: ["apps"] }, "GET", "/apis/apps/v1/deployments", true],
    ["the core group", { apiGroups: [""] }, "GET", "/apis/apps/v1/deployments", false],
    ["a resource", { resources: ["pods"] }, "GET", "/api/v1/pods", true],
    ["no subresource of it", { resources: ["pods"] }, "GET", "/api/v1/namespaces/a/pods/b/status", false],
    ["a subresource", { resources: ["pods/status"] }, "GET", "/api/v1/namespaces/a/pods/b/status", true],
    ["a namespace", { namespaces: ["a"], clusterScope: false }, "GET", "/api/v1/namespaces/a/pods", true],
    ["another namespace", { namespaces: ["a"] }, "GET", "/api/v1/namespaces/b/pods", false],
    ["no request without a namespace", { clusterScope: false }, "GET", "/api/v1/pods", false],
    ["the scope of the cluster alone", { namespaces: [], clusterScope: true }, "GET", "/api/v1/nodes", true],
    ["a namespace as an object", { namespaces: ["a"], clusterScope: false }, "GET", "/api/v1/namespaces/a", true],
    ["no path that is no resource", {}, "GET", "/version", false],
  ])("matches %s", (_, rule, method, path, is) => {
    expect(matches({ subjects: [jane], resourceRules: [{ ...ALL, ...rule }] }, "jane", method, path)).toBe(is);
  });

  test.each<[string, readonly string[], string, boolean]>([
    ["a path", ["/healthz"], "/healthz", true],
    ["what is below it", ["/healthz"], "/healthz/etcd", true],
    ["no path that begins so", ["/healthz"], "/healthzz", false],
    ["a prefix", ["/metrics/*"], "/metrics/slis", true],
    ["every path", ["*"], "/anything", true],
    ["no resource", ["*"], "/api/v1/pods", false],
  ])("matches %s", (_, nonResourceURLs, path, is) => {
    const rule = { subjects: [jane], nonResourceRules: [{ verbs: ["get"], nonResourceURLs }] };
    expect(matches(rule, "jane", "GET", path)).toBe(is);
  });

  test("is chosen by its precedence, then its name; a request without a match goes to the catch-all", () => {
    const all = (name: string, precedence: number) =>
      schema(name, precedence, [{ subjects: [jane], resourceRules: [ALL] }]);
    expect(matched([all("b", 7), all("a", 9)], "jane", "GET", "/api/v1/pods")).toBe("b");
    expect(matched([all("b", 7), all("a", 7)], "jane", "GET", "/api/v1/pods")).toBe("a");
    expect(matched([all("b", 7)], "john", "GET", "/api/v1/pods")).toBe("catch-all");
  });
});

function account(namespace: string, name: string): object {
  return { kind: "ServiceAccount", serviceAccount: { namespace, name } };
}
