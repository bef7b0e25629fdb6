import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, authorizers: [() => ({ decision: "allow" })] });
  api = cluster.transport();
});

afterAll(() => cluster.close());

const AUTHORIZATION = "/apis/authorization.k8s.io/v1";
const AUTHENTICATION = "/apis/authentication.k8s.io/v1";
const post = (path: string, body: JsonObject) => call(api, "POST", path, body);
const pods = { verb: "get", resource: "pods" };

describe("an access review", () => {
  test("is answered with the status filled in, without a creation time", async () => {
    const spec = { user: "u", resourceAttributes: pods };
    const answer = await post(`${AUTHORIZATION}/subjectaccessreviews`, { spec });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.at("spec")).toEqual(spec);
    expect(answer.at("status")).toEqual({ allowed: true });
    expect(answer.at("metadata.creationTimestamp") ?? null).toBeNull();
    expect(answer.at("metadata.managedFields.0.operation")).toBe("Update");
  });

  test("is refused with all its faults, without a kind in the error", async () => {
    const answer = await post(`${AUTHORIZATION}/subjectaccessreviews`, { metadata: { name: "a" } });
    expect([answer.status, answer.at("reason"), answer.at("details.kind") ?? ""]).toEqual([422, "Invalid", ""]);
    expect(answer.at("details.group")).toBe("authorization.k8s.io");
    expect(answer.at("message")).toMatch(/^\.authorization\.k8s\.io "" is invalid: \[spec\.resourceAttributes: /);
    expect(answer.at("details.causes.2.field")).toBe("metadata");
  });

  test("about the caller needs no right", async () => {
    const answer = await post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec: { resourceAttributes: pods } });
    expect(answer.status, answer.text).toBe(201);
    expect((await post(`${AUTHORIZATION}/selfsubjectaccessreviews`, {})).status).toBe(422);
  });

  test("for a namespace is about that namespace", async () => {
    const path = `${AUTHORIZATION}/namespaces/nowhere/localsubjectaccessreviews`;
    const about = (namespace: string) => ({ spec: { user: "u", resourceAttributes: { ...pods, namespace } } });
    expect((await post(path, about("nowhere"))).status).toBe(201);
    const other = await post(path, about("else"));
    expect([other.status, other.at("details.causes.0.message")]).toEqual([
      422,
      'Invalid value: "else": must match metadata.namespace',
    ]);
  });

  test("about all rights names a namespace, and does not repeat it", async () => {
    const path = `${AUTHORIZATION}/selfsubjectrulesreviews`;
    const nothing = await post(path, { spec: {} });
    expect([nothing.status, nothing.at("message")]).toEqual([400, "no namespace on request"]);
    const answer = await post(path, { spec: { namespace: "default" } });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.at("spec.namespace")).toBeUndefined();
    expect(answer.at("status")).toMatchObject({
      resourceRules: expect.arrayContaining([{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }]) as unknown,
      nonResourceRules: expect.arrayContaining([{ verbs: ["*"], nonResourceURLs: ["*"] }]) as unknown,
      incomplete: true,
      evaluationError: "authorizer-1 authorizer does not support user rule resolution",
    });
  });
});

/** Expectations: kubernetes' pkg/registry/authorization/util, BuildEvaluationError and what it is told. */
describe("an access review with selectors that cannot be parsed ignores them, with a note in the answer", () => {
  const field = (operator: string, ...values: string[]) => ({ key: "spec.nodeName", operator, values });
  const label = (operator: string, ...values: string[]) => ({ key: "app", operator, values });
  const ignored = (name: string, partially = "") =>
    `spec.resourceAttributes.${name} ${partially}ignored due to parse error`;
  const FIELDS = ignored("fieldSelector");
  const LABELS = ignored("labelSelector");

  test.each<[string, JsonObject, string | undefined]>([
    ["fields as text", { fieldSelector: { rawSelector: "spec.nodeName=a" } }, undefined],
    ["fields as text that is none", { fieldSelector: { rawSelector: "spec.nodeName" } }, FIELDS],
    ["an equal field", { fieldSelector: { requirements: [field("In", "a")] } }, undefined],
    ["an unequal field", { fieldSelector: { requirements: [field("NotIn", "a")] } }, undefined],
    ["a field of several values", { fieldSelector: { requirements: [field("In", "a", "b")] } }, FIELDS],
    ["a field that exists", { fieldSelector: { requirements: [field("Exists")] } }, FIELDS],
    ["a field that does not", { fieldSelector: { requirements: [field("DoesNotExist")] } }, FIELDS],
    ["an operator of later days", { fieldSelector: { requirements: [field("Like", "a")] } }, FIELDS],
    [
      "one field that is understood and one that is not",
      { fieldSelector: { requirements: [field("In", "a"), field("Exists")] } },
      ignored("fieldSelector", "partially "),
    ],
    ["labels as text", { labelSelector: { rawSelector: "app in (a,b),!c" } }, undefined],
    ["labels as text that is none", { labelSelector: { rawSelector: "app in a" } }, LABELS],
    ["labels", { labelSelector: { requirements: [label("In", "a", "b"), label("Exists")] } }, undefined],
    ["an operator nobody knows", { labelSelector: { requirements: [label("Gt", "1")] } }, LABELS],
    [
      "one label that is understood and one that is not",
      { labelSelector: { requirements: [label("Gt", "1"), label("DoesNotExist")] } },
      ignored("labelSelector", "partially "),
    ],
    ["both", { fieldSelector: { rawSelector: "a" }, labelSelector: { rawSelector: "a b" } }, `${FIELDS}; ${LABELS}`],
  ])("%s", async (_what, selectors, evaluationError) => {
    const resourceAttributes = { ...pods, namespace: "default", ...selectors };
    const status = { allowed: true, ...(evaluationError !== undefined && { evaluationError }) };
    const questions = [
      ["selfsubjectaccessreviews", { resourceAttributes }],
      ["subjectaccessreviews", { resourceAttributes, user: "u" }],
      ["namespaces/default/localsubjectaccessreviews", { resourceAttributes, user: "u" }],
    ] as const;
    for (const [path, spec] of questions) {
      const answer = await post(`${AUTHORIZATION}/${path}`, { spec });
      expect(answer.status, answer.text).toBe(201);
      expect(answer.at("status")).toEqual(status);
    }
  });
});

describe("a review of a user's identity", () => {
  test("of a token needs a token", async () => {
    const answer = await post(`${AUTHENTICATION}/tokenreviews`, { spec: {} });
    expect([answer.status, answer.at("message")]).toEqual([400, "token is required for TokenReview in authentication"]);
  });

  test("of the caller has the time of its answer", async () => {
    const answer = await post(`${AUTHENTICATION}/selfsubjectreviews`, {});
    expect(answer.status, answer.text).toBe(201);
    expect(answer.at("metadata.creationTimestamp")).toMatch(/^\d{4}-/);
    expect(answer.at("status.userInfo.username")).toEqual(expect.any(String));
  });
});
