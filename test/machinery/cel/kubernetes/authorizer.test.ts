import { describe, expect, test, vi } from "vitest";
import {
  type AccessCheck,
  type AccessDecision,
  AccessDecisions,
  type Authorize,
  type PathAccess,
  type ResourceAccess,
} from "../../../../src/machinery/cel/kubernetes/access.js";
import {
  AUTHORIZER_TYPE,
  AuthorizerValue,
  RESOURCE_CHECK_TYPE,
} from "../../../../src/machinery/cel/kubernetes/authorizer.js";
import type { Evaluation } from "../../../../src/machinery/cel/program.js";
import { ErrorValue } from "../../../../src/machinery/cel/values/value.js";
import { evaluate, issuesOf } from "./evaluate.js";

const MORE = {
  variables: [
    { name: "authorizer", type: AUTHORIZER_TYPE },
    { name: "authorizer.requestResource", type: RESOURCE_CHECK_TYPE },
  ],
};

const ANN = { name: "ann", groups: ["dev", "system:authenticated"] };

/** Evaluates for ann, who creates the pod "web" in "shop". */
async function ask(text: string, authorize: Authorize): Promise<Evaluation> {
  const decisions = new AccessDecisions(authorize);
  const authorizer = new AuthorizerValue(ANN, decisions);
  const requestResource = authorizer.ofResource({
    apiGroup: "",
    resource: "pods",
    subresource: "",
    namespace: "shop",
    name: "web",
  });
  const bindings = { authorizer, "authorizer.requestResource": requestResource };
  return decisions.evaluate(() => evaluate(text, bindings, MORE));
}

const ANYTHING = {
  apiGroup: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
  fieldSelector: "",
  labelSelector: "",
};

/** What expressions ask an authorizer. */
const CHECKS: readonly (readonly [text: string, check: Omit<PathAccess, "user"> | Omit<ResourceAccess, "user">])[] = [
  ["authorizer.path('/healthz').check('get')", { path: "/healthz", verb: "get" }],
  [
    "authorizer.group('apps').resource('deployments').check('create')",
    { ...ANYTHING, apiGroup: "apps", resource: "deployments", verb: "create" },
  ],
  [
    "authorizer.group('').resource('pods').subresource('status').namespace('test').name('a').check('update')",
    { ...ANYTHING, resource: "pods", subresource: "status", namespace: "test", name: "a", verb: "update" },
  ],
  [
    "authorizer.group('').resource('pods').namespace('a').namespace('').check('list')",
    { ...ANYTHING, resource: "pods", verb: "list" },
  ],
  [
    "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=n').labelSelector('a in (b)').check('list')",
    { ...ANYTHING, resource: "pods", fieldSelector: "spec.nodeName=n", labelSelector: "a in (b)", verb: "list" },
  ],
  [
    "authorizer.requestResource.check('delete')",
    { ...ANYTHING, resource: "pods", namespace: "shop", name: "web", verb: "delete" },
  ],
  [
    "authorizer.requestResource.subresource('exec').name('').check('create')",
    { ...ANYTHING, resource: "pods", subresource: "exec", namespace: "shop", verb: "create" },
  ],
];

describe("CEL's authorizer functions", () => {
  test.each(CHECKS)("of %s send the authorizer: %j", async (text, check) => {
    const asked: AccessCheck[] = [];
    const { value } = await ask(`${text}.allowed()`, (question) => {
      asked.push(question);
      return { decision: "allow" };
    });
    expect(value).toBe(true);
    expect(asked).toEqual([{ user: ANN, ...check }]);
  });

  test("send a service account as its user with its groups", async () => {
    const authorize = vi.fn<Authorize>(() => ({ decision: "allow" }));
    await ask("authorizer.serviceAccount('shop', 'web.bot').path('/x').check('get').allowed()", authorize);
    expect(authorize.mock.calls[0]?.[0].user).toEqual({
      name: "system:serviceaccount:shop:web.bot",
      groups: ["system:serviceaccounts", "system:serviceaccounts:shop"],
    });
  });

  const ANSWERS: readonly (readonly [AccessDecision, expression: string, value: unknown])[] = [
    [{ decision: "allow" }, "allowed()", true],
    [{ decision: "deny" }, "allowed()", false],
    [{ decision: "no-opinion" }, "allowed()", false],
    [{ decision: "allow" }, "reason()", ""],
    [{ decision: "deny", reason: "not you" }, "reason()", "not you"],
    [{ decision: "no-opinion", error: "broken" }, "errored()", true],
    [{ decision: "no-opinion", error: "broken" }, "error()", "broken"],
    [{ decision: "allow" }, "errored()", false],
    [{ decision: "allow" }, "error()", ""],
  ];
  test.each(ANSWERS)("for the decision %j, %s is %j", async (decision, expression, value) => {
    for (const answer of [decision, Promise.resolve(decision)]) {
      const evaluation = await ask(`authorizer.path('/x').check('get').${expression}`, () => answer);
      expect(evaluation.value).toBe(value);
    }
  });

  test("wait for an authorizer that answers later, and ask each question once", async () => {
    const authorize = vi.fn<Authorize>(async (check) => ({
      decision: "path" in check && check.path === "/a" ? "allow" : "deny",
    }));
    const check = (path: string): string => `authorizer.path('${path}').check('get').allowed()`;
    const { value, cost } = await ask(`${check("/a")} && !${check("/b")}`, authorize);
    expect([value, cost]).toEqual([true, 700_007]);
    expect(authorize).toHaveBeenCalledTimes(2);
  });

  test("ask the same question once in an evaluation", async () => {
    const authorize = vi.fn<Authorize>(() => ({ decision: "allow" }));
    const check = "authorizer.path('/a').check('get').allowed()";
    expect((await ask(`${check} && ${check}`, authorize)).value).toBe(true);
    expect(authorize).toHaveBeenCalledTimes(1);
  });

  test("exceed an evaluation's cost at the third check", async () => {
    const check = "authorizer.path('/a').check('get').allowed()";
    const { value, ended } = await ask(`${check} && ${check} && ${check}`, () => ({ decision: "allow" }));
    expect(ended).toBe("cost");
    expect(value).toEqual(new ErrorValue("operation cancelled: actual cost limit exceeded"));
  });

  test("fail when the authorizer fails", async () => {
    const failing = ask("authorizer.path('/a').check('get').allowed()", () => Promise.reject(new Error("no route")));
    await expect(failing).rejects.toThrow("no route");
  });

  test.each([
    ["authorizer.path('')", "path must not be empty"],
    ["authorizer.path('  ')", "path must not be empty"],
    ["authorizer.group('apps').resource('')", "resource must not be empty"],
    ["authorizer.group('apps').resource('  ')", "resource must not be empty"],
    ["authorizer.serviceAccount('not@a#valid!namespace', 'name')", "Invalid service account namespace"],
    ["authorizer.serviceAccount('has.dots', 'name')", "Invalid service account namespace"],
    ["authorizer.serviceAccount('default', 'invalid@*name')", "Invalid service account name"],
    ["authorizer == authorizer", "no such overload"],
    ["authorizer.requestResource == authorizer.requestResource", "no such overload"],
  ])("fail for %s: %s", async (text, message) => {
    expect((await ask(text, () => ({ decision: "allow" }))).value).toEqual(new ErrorValue(message));
  });

  test.each([
    [
      "authorizer.check('get')",
      "found no matching overload for 'check' applied to 'kubernetes.authorization.Authorizer.(string)'",
    ],
    [
      "authorizer.group('').check('get')",
      "found no matching overload for 'check' applied to 'kubernetes.authorization.GroupCheck.(string)'",
    ],
    [
      "authorizer.path('/').allowed()",
      "found no matching overload for 'allowed' applied to 'kubernetes.authorization.PathCheck.()'",
    ],
    [
      "authorizer.path('/').check('get') == true",
      "found no matching overload for '_==_' applied to '(kubernetes.authorization.Decision, bool)'",
    ],
  ])("refuse %s: %s", (text, message) => {
    expect(issuesOf(text, MORE)).toEqual([message]);
  });
});
