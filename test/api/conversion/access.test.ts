import { describe } from "vitest";
import { bothWays, type ConversionRow, testConversions, testDefaults } from "../../helpers/wire-conversions.js";

// Expectations: kubernetes' pkg/apis/rbac/v1alpha1/{conversion,defaults}.go; k8s.io/api's authorization/v1beta1/types.go
// (the name of the field); pkg/apis/admissionregistration/{v1alpha1,v1beta1}/defaults.go.

const RBAC = "rbac.authorization.k8s.io";
const metadata = { name: "x" };

describe("converting RBAC bindings between v1alpha1 and v1", () => {
  const roleRef = { apiGroup: RBAC, kind: "Role", name: "r" };
  const binding = (subject: object) => ({ metadata, subjects: [subject], roleRef });
  const row = (name: string, subject: object, expected: object, kind = "RoleBinding"): ConversionRow => ({
    name,
    kind,
    from: `${RBAC}/v1alpha1`,
    to: `${RBAC}/v1`,
    input: binding(subject),
    expected: binding(expected),
  });
  const alpha = `${RBAC}/v1alpha1`;
  const back = (one: ConversionRow): ConversionRow => ({ ...one, from: one.to, to: one.from });
  testConversions([
    ...bothWays(
      row(
        "a service account",
        { kind: "ServiceAccount", apiVersion: "v1", name: "s", namespace: "n" },
        { kind: "ServiceAccount", name: "s", namespace: "n" },
      ),
    ),
    ...bothWays(
      row("a user", { kind: "User", apiVersion: alpha, name: "u" }, { kind: "User", apiGroup: RBAC, name: "u" }),
    ),
    ...bothWays(
      row(
        "a group",
        { kind: "Group", apiVersion: alpha, name: "g" },
        { kind: "Group", apiGroup: RBAC, name: "g" },
        "ClusterRoleBinding",
      ),
    ),
    row(
      "a known kind has its group whatever its version says",
      { kind: "User", apiVersion: "example.com/v7", name: "u" },
      { kind: "User", apiGroup: RBAC, name: "u" },
    ),
    row(
      "everybody",
      { kind: "User", apiVersion: alpha, name: "*" },
      { kind: "Group", apiGroup: RBAC, name: "system:authenticated" },
    ),
    row(
      "another kind's version is lost",
      { kind: "Robot", apiVersion: "example.com/v1", name: "b" },
      { kind: "Robot", apiGroup: "example.com", name: "b" },
    ),
    back(
      row(
        "another kind has a group only",
        { kind: "Robot", apiGroup: "example.com", name: "b" },
        { kind: "Robot", apiVersion: "example.com/", name: "b" },
      ),
    ),
    row("a version that is none", { kind: "Robot", apiVersion: "a/b/c", name: "b" }, { kind: "Robot", name: "b" }),
    row("a version of the core group", { kind: "Robot", apiVersion: "v1", name: "b" }, { kind: "Robot", name: "b" }),
    back(
      row(
        "a service account in a group",
        { kind: "ServiceAccount", apiGroup: "x.io", name: "s" },
        { kind: "ServiceAccount", apiVersion: "x.io/", name: "s" },
      ),
    ),
    {
      name: "v1beta1 is v1",
      kind: "RoleBinding",
      from: alpha,
      to: `${RBAC}/v1beta1`,
      input: binding({ kind: "User", apiVersion: alpha, name: "u" }),
      expected: binding({ kind: "User", apiGroup: RBAC, name: "u" }),
    },
    ...bothWays({
      name: "roles are alike",
      kind: "ClusterRole",
      from: alpha,
      to: `${RBAC}/v1`,
      input: { metadata, rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] },
      expected: { metadata, rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] },
    }),
  ]);
  testDefaults([
    {
      name: "subjects' versions and the role's group",
      kind: "ClusterRoleBinding",
      version: alpha,
      input: {
        metadata,
        roleRef: { kind: "ClusterRole", name: "r" },
        subjects: [
          { kind: "ServiceAccount", name: "s" },
          { kind: "User", name: "u" },
          { kind: "Group", name: "g" },
          { kind: "Robot", name: "b" },
        ],
      },
      expected: {
        metadata,
        roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: "r" },
        subjects: [
          { kind: "ServiceAccount", apiVersion: "v1", name: "s" },
          { kind: "User", apiVersion: alpha, name: "u" },
          { kind: "Group", apiVersion: alpha, name: "g" },
          { kind: "Robot", name: "b" },
        ],
      },
    },
    {
      name: "subjects' groups in v1beta1",
      kind: "RoleBinding",
      version: `${RBAC}/v1beta1`,
      input: {
        metadata,
        roleRef: { kind: "Role", name: "r" },
        subjects: [
          { kind: "User", name: "u" },
          { kind: "ServiceAccount", name: "s" },
        ],
      },
      expected: {
        metadata,
        roleRef: { apiGroup: RBAC, kind: "Role", name: "r" },
        subjects: [
          { kind: "User", apiGroup: RBAC, name: "u" },
          { kind: "ServiceAccount", name: "s" },
        ],
      },
    },
    {
      name: "the group of a role that is not there",
      kind: "RoleBinding",
      version: `${RBAC}/v1`,
      input: { metadata },
      expected: { metadata, roleRef: { apiGroup: RBAC } },
    },
  ]);
});

describe("converting authorization reviews from v1beta1", () => {
  const spec = { user: "u", resourceAttributes: { verb: "get", resource: "pods" } };
  testConversions(
    ["SubjectAccessReview", "LocalSubjectAccessReview"].flatMap((kind) =>
      bothWays({
        name: "groups are called group",
        kind,
        from: "authorization.k8s.io/v1beta1",
        to: "authorization.k8s.io/v1",
        input: { spec: { ...spec, group: ["a", "b"] } },
        expected: { spec: { ...spec, groups: ["a", "b"] } },
      }),
    ),
  );
  testConversions(
    bothWays({
      name: "one has no groups",
      kind: "SelfSubjectAccessReview",
      from: "authorization.k8s.io/v1beta1",
      to: "authorization.k8s.io/v1",
      input: { spec: { nonResourceAttributes: { path: "/", verb: "get" } }, status: { allowed: true } },
      expected: { spec: { nonResourceAttributes: { path: "/", verb: "get" } }, status: { allowed: true } },
    }),
  );
});

describe("converting admission registrations", () => {
  const GROUP = "admissionregistration.k8s.io";
  const service = { namespace: "n", name: "s" };
  const webhook = {
    name: "a.example.com",
    clientConfig: { service },
    rules: [{ operations: ["*"], resources: ["pods"] }],
  };
  const selectors = { namespaceSelector: {}, objectSelector: {} };
  const filled = {
    name: "a.example.com",
    clientConfig: { service: { ...service, port: 443 } },
    rules: [{ operations: ["*"], resources: ["pods"], scope: "*" }],
    ...selectors,
  };
  const beta = {
    ...filled,
    failurePolicy: "Ignore",
    matchPolicy: "Exact",
    sideEffects: "Unknown",
    timeoutSeconds: 30,
    admissionReviewVersions: ["v1beta1"],
  };
  const stated = {
    ...beta,
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    sideEffects: "None",
    timeoutSeconds: 3,
    admissionReviewVersions: ["v1"],
  };
  const policyBinding = (version: string, kind: string, expected: object) => ({
    name: "what is done without parameters",
    kind,
    version: `${GROUP}/${version}`,
    input: { metadata, spec: { policyName: "p", paramRef: { name: "q" } } },
    expected: { metadata, spec: { policyName: "p", paramRef: { name: "q", ...expected } } },
  });
  testDefaults([
    {
      name: "lenient",
      kind: "ValidatingWebhookConfiguration",
      version: `${GROUP}/v1beta1`,
      input: { metadata, webhooks: [webhook] },
      expected: { metadata, webhooks: [beta] },
    },
    {
      name: "lenient, and never called again",
      kind: "MutatingWebhookConfiguration",
      version: `${GROUP}/v1beta1`,
      input: { metadata, webhooks: [webhook] },
      expected: { metadata, webhooks: [{ ...beta, reinvocationPolicy: "Never" }] },
    },
    {
      name: "what is stated stays",
      kind: "ValidatingWebhookConfiguration",
      version: `${GROUP}/v1beta1`,
      input: { metadata, webhooks: [stated] },
      expected: { metadata, webhooks: [stated] },
    },
    {
      name: "strict",
      kind: "ValidatingWebhookConfiguration",
      version: `${GROUP}/v1`,
      input: { metadata, webhooks: [webhook] },
      expected: {
        metadata,
        webhooks: [{ ...filled, failurePolicy: "Fail", matchPolicy: "Equivalent", timeoutSeconds: 10 }],
      },
    },
    policyBinding("v1alpha1", "ValidatingAdmissionPolicyBinding", { parameterNotFoundAction: "Deny" }),
    policyBinding("v1alpha1", "MutatingAdmissionPolicyBinding", { parameterNotFoundAction: "Deny" }),
    policyBinding("v1beta1", "ValidatingAdmissionPolicyBinding", {}),
    policyBinding("v1", "MutatingAdmissionPolicyBinding", {}),
    {
      name: "fails, and matches equivalents",
      kind: "ValidatingAdmissionPolicy",
      version: `${GROUP}/v1alpha1`,
      input: { metadata, spec: { matchConstraints: { resourceRules: [{ resources: ["pods"] }] } } },
      expected: {
        metadata,
        spec: {
          failurePolicy: "Fail",
          matchConstraints: {
            ...selectors,
            matchPolicy: "Equivalent",
            resourceRules: [{ resources: ["pods"], scope: "*" }],
          },
        },
      },
    },
  ]);
  testConversions(
    bothWays({
      name: "webhooks are alike",
      kind: "ValidatingWebhookConfiguration",
      from: `${GROUP}/v1beta1`,
      to: `${GROUP}/v1`,
      input: { metadata, webhooks: [beta] },
      expected: { metadata, webhooks: [beta] },
    }),
  );
});
