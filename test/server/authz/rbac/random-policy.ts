import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import type { AuthorizerAttributes } from "../../../../src/server/authz/authorizer.js";
import type { User } from "../../../../src/server/request/user.js";

/** Random numbers below a bound, the same for the same seed (mulberry32). */
export function below(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

type Below = ReturnType<typeof below>;

const API_GROUP = "rbac.authorization.k8s.io";
export const NAMESPACES = ["rbac-a", "rbac-b"];
const USERS = ["ann", "ben", "*", "system:serviceaccount:rbac-a:bot", "system:serviceaccount:rbac-b:bot"];
const GROUPS = ["devs", "ops", "system:serviceaccounts", "*"];
const VERBS = ["get", "list", "create", "*"];
const API_GROUPS = ["", "apps", "*"];
const RESOURCES = ["pods", "pods/log", "*/log", "*", "deployments", "deployments/scale", "*/scale", "pods/*"];
const NAMES = ["web", "db", "*"];
const URLS = ["/healthz", "/healthz/*", "/api", "/api/*", "*", "/a*b", "/logs**"];
const PATHS = ["/healthz", "/healthz/ping", "/api", "/api/v1", "/", "/a*b", "/axb", "/logs", "/logs/x", "/healthz/*"];
const ROLES = ["one", "two", "three", "four"];

const oneOf = <T>(items: readonly T[], random: Below): T => items[random(items.length)] as T;
const someOf = <T>(items: readonly T[], random: Below): T[] => {
  const found = items.filter(() => random(3) === 0);
  return found.length > 0 ? found : [oneOf(items, random)];
};

function rule(random: Below, namespaced: boolean): object {
  const verbs = someOf(VERBS, random);
  if (!namespaced && random(3) === 0) return { verbs, nonResourceURLs: someOf(URLS, random) };
  const named = random(3) === 0 && { resourceNames: someOf(NAMES, random) };
  return { verbs, apiGroups: someOf(API_GROUPS, random), resources: someOf(RESOURCES, random), ...named };
}

function subject(random: Below, namespaced: boolean): object {
  switch (random(3)) {
    case 0:
      return { kind: "User", apiGroup: API_GROUP, name: oneOf(USERS, random) };
    case 1:
      return { kind: "Group", apiGroup: API_GROUP, name: oneOf(GROUPS, random) };
    default:
      return namespaced && random(2) === 0
        ? { kind: "ServiceAccount", name: "bot" }
        : { kind: "ServiceAccount", name: "bot", namespace: oneOf(NAMESPACES, random) };
  }
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** A role or a binding, valid for kube-apiserver. A binding may name a role that does not exist. */
export function randomObject(random: Below): KubeObject {
  const namespaced = random(2) === 0;
  const kind = (isBinding: boolean): string => `${namespaced ? "" : "Cluster"}Role${isBinding ? "Binding" : ""}`;
  const place = namespaced && { namespace: oneOf(NAMESPACES, random) };
  const header = (isBinding: boolean, name: string) => ({
    apiVersion: `${API_GROUP}/v1`,
    kind: kind(isBinding),
    metadata: { name: `judge-${name}`, ...place },
  });
  if (random(2) === 0) {
    return { ...header(false, oneOf(ROLES, random)), rules: times(random(4), () => rule(random, namespaced)) };
  }
  const roleKind = namespaced && random(2) === 0 ? "Role" : "ClusterRole";
  return {
    ...header(true, String(random(20))),
    roleRef: { apiGroup: API_GROUP, kind: roleKind, name: `judge-${oneOf(ROLES, random)}` },
    subjects: times(1 + random(3), () => subject(random, namespaced)),
  };
}

export function randomUser(random: Below): User {
  return { name: oneOf(USERS, random), groups: GROUPS.filter(() => random(4) === 0) };
}

export function randomRequest(random: Below): AuthorizerAttributes {
  const user = randomUser(random);
  const verb = oneOf(["get", "list", "create", "delete", "*"], random);
  const none = { apiGroup: "", apiVersion: "", resource: "", subresource: "", namespace: "", name: "", path: "" };
  if (random(4) === 0) return { user, verb, isResourceRequest: false, ...none, path: oneOf(PATHS, random) };
  return {
    user,
    verb,
    isResourceRequest: true,
    ...none,
    apiGroup: oneOf(["", "apps", "batch"], random),
    apiVersion: "v1",
    resource: oneOf(["pods", "deployments", "jobs"], random),
    subresource: oneOf(["", "", "log", "scale"], random),
    namespace: oneOf(["", ...NAMESPACES], random),
    name: oneOf(["", "web", "db", "*"], random),
  };
}
