import { describe, expect, test } from "vitest";
import { compareWithKubectl } from "../../helpers/compare-with-kubectl.js";
import { realTool } from "../../helpers/real-tools.js";
import type { Served, Told } from "../../helpers/told-server.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`answers are not compared: ${kubectl.missing}\n`);

const SERVED: Served = { v1: [["pods", "Pod", true]] };
const RBAC = "/apis/rbac.authorization.k8s.io/v1";

/** Answers that our servers, where everybody may do everything and nobody is in the way, never give. */
async function same(
  words: string,
  answers: Readonly<Record<string, readonly Told[]>>,
  files: Readonly<Record<string, string>> = {},
) {
  const { real, ours } = await compareWithKubectl(words.split(" "), { served: SERVED, answers, files });
  expect(ours).toEqual(real);
  return real;
}

describe.skipIf(kubectl.missing !== undefined)("auth can-i, compared with kubectl over scripted answers", () => {
  const path = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const review = (status: object): Told => ({
    body: { kind: "SelfSubjectAccessReview", apiVersion: "authorization.k8s.io/v1", metadata: {}, spec: {}, status },
  });

  test.each([
    ["no", { allowed: false }],
    ["no, and why", { allowed: false, denied: true, reason: "you are new here" }],
    ["no, and what went wrong", { allowed: false, evaluationError: "no such role" }],
    ["no, with all of it", { allowed: false, reason: "because", evaluationError: "no such role" }],
    ["yes, and why", { allowed: true, reason: "RBAC: allowed" }],
  ])("prints the server's answer: %s", async (_what, status) => {
    for (const words of ["auth can-i get pods", "auth can-i -q get pods"]) {
      const { code } = await same(words, { [path]: [review(status)] });
      expect(code).toBe(status.allowed ? 0 : 1);
    }
  });

  test("fails for a user who may not create access reviews", async () => {
    const { code } = await same("auth can-i get pods", { [path]: [{ code: 403, reason: "Forbidden" }] });
    expect(code).toBe(1);
  });
});

describe.skipIf(kubectl.missing !== undefined)("auth can-i --list, compared with kubectl over scripted answers", () => {
  const path = "POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
  const rules = (status: object): Told => ({
    body: { kind: "SelfSubjectRulesReview", apiVersion: "authorization.k8s.io/v1", metadata: {}, spec: {}, status },
  });

  test("merges verbs, keeps other rules apart, and sorts", async () => {
    const resourceRules = [
      { verbs: ["get", "list"], apiGroups: ["", "apps"], resources: ["pods/log", "deployments"] },
      { verbs: ["watch", "get"], apiGroups: ["apps"], resources: ["deployments"] },
      { verbs: ["delete"], apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["web", "db"] },
      { verbs: ["get"], apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["web"] },
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: [], apiGroups: ["x"], resources: ["y"] },
    ];
    const nonResourceRules = [
      { verbs: ["get", "head"], nonResourceURLs: ["/healthz", "/api/*"] },
      { verbs: ["get"], nonResourceURLs: ["/healthz"] },
    ];
    const { stdout } = await same("auth can-i --list", { [path]: [rules({ resourceRules, nonResourceRules })] });
    expect(stdout.split("\n").length).toBeGreaterThan(10);
  });

  test("warns when the server says that the list may be incomplete", async () => {
    const status = {
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: "webhooks do not list",
    };
    const { stderr } = await same("auth can-i --list --no-headers", { [path]: [rules(status)] });
    expect(stderr).toContain("webhooks do not list");
  });
});

describe.skipIf(kubectl.missing !== undefined)("auth whoami, compared with kubectl over scripted answers", () => {
  const NOT_FOUND: Told = { code: 404, reason: "NotFound" };
  const path = (version: string) => `POST /apis/authentication.k8s.io/${version}/selfsubjectreviews`;
  const review = (version: string, userInfo: object): Told => ({
    body: {
      kind: "SelfSubjectReview",
      apiVersion: `authentication.k8s.io/${version}`,
      metadata: { creationTimestamp: null },
      status: { userInfo },
    },
  });
  const jane = { username: "jane", uid: "u", groups: ["a", "b"], extra: { z: ["1"], "a/b": ["2", "3"] } };

  test.each([["v1"], ["v1beta1"], ["v1alpha1"]])(
    "works with a server whose newest review version is %s",
    async (version) => {
      for (const words of ["auth whoami", "auth whoami -o json", "auth whoami -o yaml"]) {
        const { code, requests } = await same(words, { [path(version)]: [review(version, jane)] });
        expect([code, requests.at(-1)]).toEqual([0, path(version)]);
      }
    },
  );

  test.each([
    ["a server that has none of them", { [path("v1")]: [NOT_FOUND] }, 3],
    ["one that refuses", { [path("v1")]: [{ code: 403, reason: "Forbidden" }] }, 1],
    ["an old one that refuses", { [path("v1beta1")]: [{ code: 403, reason: "Forbidden" }] }, 2],
    ["one that fails", { [path("v1")]: [{ code: 500, reason: "InternalError" }] }, 1],
  ] as const)("prints the error of %s", async (_what, answers, asked) => {
    const { code, requests } = await same("auth whoami", answers);
    expect([code, requests.length]).toEqual([1, asked]);
  });

  test("prints a user without a name", async () => {
    await same("auth whoami", { [path("v1")]: [review("v1", { groups: ["a"] })] });
  });
});

describe.skipIf(kubectl.missing !== undefined)("auth reconcile beside other writers, and kubectl's", () => {
  const ROLE = `${RBAC}/namespaces/shop/roles/readers`;
  const ROLES = `${RBAC}/namespaces/shop/roles`;
  const BINDING = `${RBAC}/clusterrolebindings/readers`;
  const rule = (verb: string) => ({ verbs: [verb], apiGroups: [""], resources: ["pods"] });
  const role = (verb: string): Told => ({
    body: {
      kind: "Role",
      apiVersion: "rbac.authorization.k8s.io/v1",
      metadata: { name: "readers", namespace: "shop", resourceVersion: "1" },
      rules: [rule(verb)],
    },
  });
  const binding = (name: string): Told => ({
    body: {
      kind: "ClusterRoleBinding",
      apiVersion: "rbac.authorization.k8s.io/v1",
      metadata: { name: "readers", uid: "u1", resourceVersion: "1" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    },
  });
  const CONFLICT: Told = { code: 409, reason: "Conflict" };
  const EXISTS: Told = { code: 409, reason: "AlreadyExists" };
  const NOT_FOUND: Told = { code: 404, reason: "NotFound" };
  const FORBIDDEN: Told = { code: 403, reason: "Forbidden" };
  const FAILS: Told = { code: 500, reason: "InternalError" };
  const NAMESPACE: Told = { body: { kind: "Namespace", apiVersion: "v1", metadata: { name: "shop" } } };
  const files = {
    "role.json": JSON.stringify((role("get") as { body: object }).body),
    "binding.json": JSON.stringify((binding("view") as { body: object }).body),
  };

  test.each<[string, string, Readonly<Record<string, readonly Told[]>>, number]>([
    [
      "a write that conflicts once",
      "role",
      { [`GET ${ROLE}`]: [role("list")], [`PUT ${ROLE}`]: [CONFLICT, role("get")] },
      0,
    ],
    ["writes that always conflict", "role", { [`GET ${ROLE}`]: [role("list")], [`PUT ${ROLE}`]: [CONFLICT] }, 1],
    [
      "a role that is gone when it is written",
      "role",
      {
        [`GET ${ROLE}`]: [role("list"), NOT_FOUND],
        [`PUT ${ROLE}`]: [NOT_FOUND],
        "GET /api/v1/namespaces/shop": [NAMESPACE],
        [`POST ${ROLES}`]: [role("get")],
      },
      0,
    ],
    [
      "a role that others create",
      "role",
      {
        [`GET ${ROLE}`]: [NOT_FOUND, role("get")],
        "GET /api/v1/namespaces/shop": [NAMESPACE],
        [`POST ${ROLES}`]: [EXISTS],
      },
      0,
    ],
    [
      "a role that is never there and always there",
      "role",
      { "GET /api/v1/namespaces/shop": [NAMESPACE], [`POST ${ROLES}`]: [EXISTS] },
      1,
    ],
    [
      "a namespace that one may not see",
      "role",
      {
        "GET /api/v1/namespaces/shop": [FORBIDDEN],
        "POST /api/v1/namespaces": [FORBIDDEN],
        [`POST ${ROLES}`]: [role("get")],
      },
      0,
    ],
    ["a namespace that cannot be read", "role", { "GET /api/v1/namespaces/shop": [FAILS] }, 1],
    [
      "a namespace that others create",
      "role",
      { "POST /api/v1/namespaces": [EXISTS], [`POST ${ROLES}`]: [role("get")] },
      0,
    ],
    ["a role that one may not see", "role", { [`GET ${ROLE}`]: [FORBIDDEN] }, 1],
    [
      "a binding that is another one when it is deleted",
      "binding",
      { [`GET ${BINDING}`]: [binding("edit"), binding("view")], [`DELETE ${BINDING}`]: [CONFLICT] },
      0,
    ],
    [
      "a binding that is gone when it is deleted",
      "binding",
      {
        [`GET ${BINDING}`]: [binding("edit")],
        [`DELETE ${BINDING}`]: [NOT_FOUND],
        [`POST ${RBAC}/clusterrolebindings`]: [binding("view")],
      },
      0,
    ],
    [
      "a binding that others make anew",
      "binding",
      {
        [`GET ${BINDING}`]: [binding("edit"), binding("view")],
        [`DELETE ${BINDING}`]: [NAMESPACE],
        [`POST ${RBAC}/clusterrolebindings`]: [EXISTS],
      },
      0,
    ],
  ])("%s", async (_what, file, answers, code) => {
    const result = await same(`auth reconcile -f ${file}.json`, answers, files);
    expect(result.code).toBe(code);
  });
});
