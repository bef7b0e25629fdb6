import { describe, expect, test } from "vitest";
import { secretsOfPod } from "../../../src/api/pods/secret-names.js";
import { INVALID_SINCE, LAST_USED, startOfDay } from "../../../src/api/service-accounts/token-secrets.js";
import type { PodSpec, Secret, ServiceAccount } from "../../../src/api/types/core/v1.js";
import {
  fateOf,
  isGenerated,
  isTrackedLongEnough,
  isUnused,
  withDay,
} from "../../../src/controllers/legacy-tokens/legacy-tokens.js";
import {
  accountOf,
  filledSecret,
  refersTo,
  withoutSecret,
} from "../../../src/controllers/service-account-token/token-secret.js";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const account: ServiceAccount = {
  metadata: { name: "robot", namespace: "shop", uid: "u1" },
  secrets: [{ name: "t" }, { name: "other" }],
};
const source = { caCertificate: "PEM", signToken: (claims: unknown) => JSON.stringify(claims) };
const FULL = { "ca.crt": base64("PEM"), namespace: base64("shop"), token: base64("signed") };
const NAMES = { "kubernetes.io/service-account.name": "robot" };
const secret = (data?: Record<string, string>, annotations: Record<string, string> = NAMES): Secret => ({
  type: "kubernetes.io/service-account-token",
  metadata: { name: "t", namespace: "shop", annotations },
  ...(data && { data }),
});

describe("the controller and a token secret:", () => {
  test("fills an empty one with authority, namespace, token and the account's uid", () => {
    const filled = filledSecret(secret(), account, source);
    expect(filled?.metadata?.annotations).toEqual({ ...NAMES, "kubernetes.io/service-account.uid": "u1" });
    expect(filled?.data).toMatchObject({ "ca.crt": FULL["ca.crt"], namespace: FULL.namespace });
    expect(Buffer.from(filled?.data?.["token"] ?? "", "base64").toString()).toBe(
      '{"iss":"kubernetes/serviceaccount","kubernetes.io/serviceaccount/namespace":"shop","kubernetes.io/serviceaccount/secret.name":"t","kubernetes.io/serviceaccount/service-account.name":"robot","kubernetes.io/serviceaccount/service-account.uid":"u1","sub":"system:serviceaccount:shop:robot"}',
    );
  });

  test.each([
    ["that is full is left alone", FULL, undefined],
    ["keeps what else it has", { ...FULL, more: "eA==", namespace: "" }, { ...FULL, more: "eA==" }],
    ["keeps another namespace", { ...FULL, namespace: base64("x") }, undefined],
    ["keeps a token that is not the controller's", { ...FULL, token: base64("x") }, undefined],
    ["gets the current authority", { ...FULL, "ca.crt": base64("old") }, FULL],
  ])("handles one %s", (_, data, expected) => {
    expect(filledSecret(secret(data), account, source)?.data).toEqual(expected);
  });

  test("writes no authority when the cluster has none", () => {
    const { "ca.crt": _, ...data } = FULL;
    expect(filledSecret(secret(data), account, { ...source, caCertificate: "" })).toBeUndefined();
  });

  test.each([
    ["by name", NAMES, true],
    ["by name and uid", { ...NAMES, "kubernetes.io/service-account.uid": "u1" }, true],
    ["not by another uid", { ...NAMES, "kubernetes.io/service-account.uid": "u2" }, false],
    ["not by another name", { "kubernetes.io/service-account.name": "x" }, false],
    ["not by an empty name", { "kubernetes.io/service-account.name": "" }, false],
    ["not without annotations", {}, false],
  ])("matches it to an account %s", (_, annotations, expected) => {
    const reference = accountOf(secret(FULL, annotations));
    expect(reference !== undefined && refersTo(reference, account)).toBe(expected);
  });

  test.each([
    ["t", [{ name: "other" }]],
    ["other", [{ name: "t" }]],
    ["absent", undefined],
  ])("removes the name %s from its account's list", (name, left) => {
    expect(withoutSecret(account, name)?.secrets).toEqual(left);
  });
});

const NOW = Date.parse("2026-06-15T12:00:00Z");
const used = (created: string, labels: Record<string, string> = {}, deletionTimestamp?: string): Secret => ({
  metadata: { name: "t", creationTimestamp: created, labels, ...(deletionTimestamp && { deletionTimestamp }) },
});

describe("a generated token secret counts as unused for a year", () => {
  const old = "2024-01-01T00:00:00Z";
  test.each([
    ["an old one without a label", used(old), true],
    ["one created less than a year ago", used("2025-06-15T12:00:00Z"), false],
    ["one created a second before", used("2025-06-15T11:59:59Z"), true],
    ["one used a year ago", used(old, { [LAST_USED]: "2025-06-15" }), false],
    ["one used the day before", used(old, { [LAST_USED]: "2025-06-14" }), true],
    ["one used today", used(old, { [LAST_USED]: "2026-06-15" }), false],
    ["one whose label is no day", used(old, { [LAST_USED]: "long ago" }), false],
    ["one whose label is a day that there is not", used(old, { [LAST_USED]: "2024-02-30" }), false],
    ["one that is being deleted", used(old, {}, old), false],
  ])("or not: %s: %#", (_, one, expected) => {
    expect(isUnused(one, NOW)).toBe(expected);
  });
});

test.each([
  ["no day", undefined, false],
  ["what is no day", "soon", false],
  ["a year and a half-day ago", "2025-06-15", false],
  ["a year and a day ago", "2025-06-14", true],
  ["today", "2026-06-15", false],
])("use of token secrets was tracked long enough since %s", (_, since, expected) => {
  expect(isTrackedLongEnough(since, NOW)).toBe(expected);
});

test.each([
  ["without a mark", undefined, { mark: "2026-06-15" }],
  ["with a mark that is no day", "x", { mark: "2026-06-15" }],
  ["marked today", "2026-06-15", "keep"],
  ["marked a year ago", "2025-06-15", "keep"],
  ["marked before that", "2025-06-14", "delete"],
])("the controller marks or deletes an unused token secret %s", (_, mark, expected) => {
  expect(fateOf(used("2020-01-01T00:00:00Z", mark === undefined ? {} : { [INVALID_SINCE]: mark }), NOW)).toEqual(
    expected,
  );
});

test.each([
  ["t", true],
  ["manual", false],
])("the secret %s of an account was generated by Kubernetes: %s", (name, expected) => {
  expect(isGenerated({ metadata: { name } }, account)).toBe(expected);
});

test.each([
  [undefined, { since: "2026-06-15" }],
  [
    { since: "x", other: "y" },
    { since: "2026-06-15", other: "y" },
  ],
  [{ since: "2026-01-01" }, undefined],
])("the controller changes the ConfigMap of tracking from %j to %j", (data, expected) => {
  expect(withDay({ ...(data && { data: data as unknown as Record<string, string> }) }, NOW)?.data).toEqual(expected);
});

test.each([
  ["2026-01-01", 1_767_225_600_000],
  ["2026-13-01", undefined],
  ["2026-1-1", undefined],
  ["2026-01-01T00:00:00Z", undefined],
  [undefined, undefined],
])("the date %s of a last use begins at %s", (day, start) => {
  expect(startOfDay(day)).toBe(start);
});

describe("a pod counts as a user of a token secret that it needs", () => {
  const containers = [{ name: "c" }];
  test.each<[string, Partial<PodSpec>]>([
    ["to pull images", { imagePullSecrets: [{ name: "s" }] }],
    ["in the environment", { containers: [{ name: "c", envFrom: [{ secretRef: { name: "s" } }] }] }],
    [
      "in a variable of an init container",
      { initContainers: [{ name: "i", env: [{ name: "E", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] }] },
    ],
    ["as a volume", { volumes: [{ name: "v", secret: { secretName: "s" } }] }],
    ["in a projected volume", { volumes: [{ name: "v", projected: { sources: [{ secret: { name: "s" } }] } }] }],
    ["for a CSI volume", { volumes: [{ name: "v", csi: { driver: "d", nodePublishSecretRef: { name: "s" } } }] }],
    ["for an Azure file share", { volumes: [{ name: "v", azureFile: { secretName: "s", shareName: "x" } }] }],
  ])("%s", (_, spec) => {
    expect([...secretsOfPod({ containers, ...spec })]).toEqual(["s"]);
  });

  test("but not for a ConfigMap of the same name", () => {
    expect(secretsOfPod({ containers, volumes: [{ name: "v", configMap: { name: "s" } }] }).size).toBe(0);
  });
});
