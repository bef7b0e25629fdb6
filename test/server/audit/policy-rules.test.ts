import { describe, expect, test } from "vitest";
import { newApiRequest } from "../../../src/server/request/api-request.js";
import type { AuditRule } from "../../../src/server/audit/policy/audit-policy.js";
import { PolicyRules } from "../../../src/server/audit/policy/policy-rules.js";
import { RequestAttributes } from "../../../src/server/authz/request-attributes.js";
import { builtInApi } from "../../../src/api/facts/index.js";

const PODS = "/api/v1/namespaces/shop/pods";
const ANA = { name: "ana", groups: ["developers", "system:authenticated"] };

function attributesOf(text: string): RequestAttributes {
  const [method = "", uri = ""] = text.split(" ");
  const [path = "", query] = uri.split("?");
  const exchange = { method, path, uri, query: new URLSearchParams(query), headers: {} };
  const request = newApiRequest(exchange as Parameters<typeof newApiRequest>[0], builtInApi(), 0, "id");
  return new RequestAttributes(request.with({ user: ANA }));
}

const levelOf = (rules: readonly AuditRule[], text: string): string =>
  new PolicyRules({ rules }).of(attributesOf(text)).level;

/** A rule without its level, a request of ana's, and whether the rule matches it. */
type Row = readonly [Omit<AuditRule, "level">, string, boolean];

const core = (...resources: readonly string[]) => ({ resources: [{ group: "", resources }] });
const named = (...resourceNames: readonly string[]) => ({
  resources: [{ group: "", resources: ["pods"], resourceNames }],
});

const ROWS: readonly Row[] = [
  [{}, `GET ${PODS}`, true],
  [{}, "GET /healthz", true],
  [{ users: ["ana"] }, `GET ${PODS}`, true],
  [{ users: ["bob", "ana"] }, `GET ${PODS}`, true],
  [{ users: ["bob"] }, `GET ${PODS}`, false],
  [{ userGroups: ["developers"] }, `GET ${PODS}`, true],
  [{ userGroups: ["operators"] }, `GET ${PODS}`, false],
  [{ users: ["ana"], userGroups: ["operators"] }, `GET ${PODS}`, false],
  [{ verbs: ["list"] }, `GET ${PODS}`, true],
  [{ verbs: ["get"] }, `GET ${PODS}`, false],
  [{ verbs: ["watch"] }, `GET ${PODS}?watch=true`, true],
  [{ verbs: ["deletecollection"] }, `DELETE ${PODS}`, true],
  [{ verbs: ["get"] }, "GET /healthz", true],
  [{ namespaces: ["shop"] }, `GET ${PODS}`, true],
  [{ namespaces: ["other"] }, `GET ${PODS}`, false],
  [{ namespaces: [""] }, "GET /api/v1/nodes", true],
  [{ namespaces: [""] }, "GET /api/v1/pods", true],
  [{ namespaces: ["shop"] }, "GET /healthz", false],
  [core("pods"), `GET ${PODS}`, true],
  [core("secrets"), `GET ${PODS}`, false],
  [core("pods"), `GET ${PODS}/web/log`, false],
  [core("pods/log"), `GET ${PODS}/web/log`, true],
  [core("pods/*"), `GET ${PODS}/web/log`, true],
  [core("pods/*"), `GET ${PODS}/web`, true],
  [core("*/log"), `GET ${PODS}/web/log`, true],
  [core("*/status"), `GET ${PODS}/web/log`, false],
  [core("*"), `GET ${PODS}/web/log`, true],
  [core(), `GET ${PODS}`, true],
  [{ resources: [{ group: "apps" }] }, `GET ${PODS}`, false],
  [{ resources: [{ group: "apps" }] }, "GET /apis/apps/v1/deployments", true],
  [{ resources: [{ group: "*" }] }, "GET /apis/apps/v1/deployments", true],
  [{ resources: [{ group: "*", resources: ["deployments"] }] }, "GET /apis/apps/v1/deployments", true],
  [{ resources: [{ group: "apps" }, { group: "" }] }, `GET ${PODS}`, true],
  [named("web"), `GET ${PODS}/web`, true],
  [named("web"), `GET ${PODS}/other`, false],
  [named("web"), `POST ${PODS}`, false],
  [named("web"), `GET ${PODS}?fieldSelector=metadata.name%3Dweb`, true],
  [core("pods"), "GET /healthz", false],
  [{ nonResourceURLs: ["/healthz"] }, "GET /healthz", true],
  [{ nonResourceURLs: ["/healthz"] }, "GET /healthz/etcd", false],
  [{ nonResourceURLs: ["/healthz*"] }, "GET /healthz/etcd", true],
  [{ nonResourceURLs: ["*"] }, "GET /version", true],
  [{ nonResourceURLs: ["*"] }, `GET ${PODS}`, false],
  [{ nonResourceURLs: ["/version", "/healthz"], verbs: ["post"] }, "GET /version", false],
];

describe("an audit policy rule matches a request or not", () => {
  test.each(ROWS)("%j: %s is %s", (rule, request, matches) => {
    expect(levelOf([{ ...rule, level: "Request" }], request)).toBe(matches ? "Request" : "None");
  });
});

describe("an audit policy", () => {
  test("applies the first rule that matches", () => {
    const rules: readonly AuditRule[] = [
      { level: "None", users: ["bob"] },
      { level: "Metadata", verbs: ["list"] },
      { level: "RequestResponse" },
    ];
    expect(levelOf(rules, `GET ${PODS}`)).toBe("Metadata");
    expect(levelOf(rules, `GET ${PODS}/web`)).toBe("RequestResponse");
  });

  test("omits the stages that the policy or the rule names", () => {
    const rules = new PolicyRules({
      omitStages: ["RequestReceived"],
      rules: [{ level: "Metadata", omitStages: ["Panic"] }],
    });
    expect([...rules.of(attributesOf(`GET ${PODS}`)).omitStages]).toEqual(["RequestReceived", "Panic"]);
  });

  test.each([
    [undefined, undefined, false],
    [true, undefined, true],
    [true, false, false],
    [false, true, true],
  ])("with omitManagedFields %s, and %s in the rule, omits them: %s", (ofPolicy, ofRule, expected) => {
    const rules = new PolicyRules({
      omitManagedFields: ofPolicy,
      rules: [{ level: "Metadata", omitManagedFields: ofRule }],
    });
    expect(rules.of(attributesOf(`GET ${PODS}`)).omitManagedFields).toBe(expected);
  });
});
