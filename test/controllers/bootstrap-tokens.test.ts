import { createHmac } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Secret } from "../../src/api/types/core/v1.js";
import {
  bootstrapSigner,
  signingToken,
  timeLeft,
  signatureOf,
  signedConfigMap,
  tokenCleaner,
} from "../../src/controllers/bootstrap-tokens/bootstrap-tokens.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { manualControllers } from "../helpers/manual-controllers.js";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const GOOD = { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-signing": "true" };
const encodedData = (data: Record<string, string>) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
const secret = (data: Record<string, string>, name = "bootstrap-token-abcdef"): Secret => ({
  metadata: { name, namespace: "kube-system" },
  type: "bootstrap.kubernetes.io/token",
  data: encodedData(data),
});

describe("the remaining lifetime of a bootstrap token is", () => {
  test.each([
    ["ever without an expiration", "", Number.POSITIVE_INFINITY],
    ["an hour", "2026-01-01T01:00:00Z", 3_600_000],
    ["half an hour in another zone", "2026-01-01T02:30:00+02:00", 1_800_000],
    ["no time when it ends now", "2026-01-01T00:00:00Z", 0],
    ["no time when it has ended", "2025-12-31T00:00:00Z", 0],
    ["no time when its end is no time", "tomorrow", 0],
    ["no time when its end has no zone", "2026-01-02T00:00:00", 0],
  ])("%s", (_, expiration, left) => {
    expect(timeLeft(secret({ ...GOOD, ...(expiration && { expiration }) }), NOW)).toBe(left);
  });
});

describe("a bootstrap token secret, as a signing key for cluster-info,", () => {
  const token = { id: "abcdef", secret: GOOD["token-secret"] };
  test.each([
    ["signs", secret(GOOD), token],
    ["signs until it ends", secret({ ...GOOD, expiration: "2026-01-01T00:00:01Z" }), token],
    ["signs no more when it has ended", secret({ ...GOOD, expiration: "2026-01-01T00:00:00Z" }), undefined],
    ["of another name does not sign", secret(GOOD, "bootstrap-token-ABCDEF"), undefined],
    ["of another token's name does not sign", secret(GOOD, "bootstrap-token-ghijkl"), undefined],
    ["of a longer name does not sign", secret(GOOD, "bootstrap-token-abcdefg"), undefined],
    ["without an id does not sign", secret({ ...GOOD, "token-id": "" }), undefined],
    ["without a secret part does not sign", secret({ ...GOOD, "token-secret": "" }), undefined],
    ["for authentication alone does not sign", secret({ ...GOOD, "usage-bootstrap-signing": "false" }), undefined],
    ["that says yes in another way does not sign", secret({ ...GOOD, "usage-bootstrap-signing": "True" }), undefined],
  ])("%s", (_, one, expected) => {
    expect(signingToken(one, NOW)).toEqual(expected);
  });
});

describe("the bootstrap signer and the ConfigMap cluster-info:", () => {
  const one = { id: "abcdef", secret: "1" };
  const two = { id: "ghijkl", secret: "2" };
  const key = "jws-kubeconfig-abcdef";
  const signed = { kubeconfig: "k", [key]: signatureOf("k", one) };
  test.each([
    ["without a kubeconfig is left alone", { other: "x" }, [one], undefined],
    ["without tokens is left alone", { kubeconfig: "k" }, [], undefined],
    ["is signed by a token", { kubeconfig: "k" }, [one], signed],
    ["that is signed is left alone", signed, [one], undefined],
    [
      "is signed by another token too",
      signed,
      [one, two],
      { ...signed, "jws-kubeconfig-ghijkl": signatureOf("k", two) },
    ],
    ["loses the signature of a token that is gone", { ...signed, more: "x" }, [], { kubeconfig: "k", more: "x" }],
    [
      "is signed again when it changes",
      { ...signed, kubeconfig: "k2" },
      [one],
      { kubeconfig: "k2", [key]: signatureOf("k2", one) },
    ],
    ["gets a wrong signature put right", { ...signed, [key]: "x" }, [one], signed],
  ])("one %s", (_, data, tokens, expected) => {
    expect(signedConfigMap({ data: data as unknown as Record<string, string> }, tokens)?.data).toEqual(expected);
  });
});

test("the bootstrap signer writes a JSON Web Signature without its content", () => {
  const [header = "", content, signature] = signatureOf("content", { id: "abcdef", secret: "key" }).split(".");
  expect(Buffer.from(header, "base64url").toString()).toBe('{"alg":"HS256","kid":"abcdef"}');
  expect(content).toBe("");
  const signed = `${header}.${Buffer.from("content").toString("base64url")}`;
  expect(signature).toBe(createHmac("sha256", "key").update(signed).digest("base64url"));
});

test("on a cluster, bootstrap tokens sign cluster-info while they are valid, and are deleted when they expire", async () => {
  const run = await manualControllers(bootstrapSigner, tokenCleaner);
  onTestFinished(() => run.close());
  const SECRETS = "/api/v1/namespaces/kube-system/secrets";
  const INFO = "/api/v1/namespaces/kube-public/configmaps";
  await call(run.api, "POST", INFO, { metadata: { name: "cluster-info" }, data: { kubeconfig: "k" } });
  for (const id of ["aaaaaa", "bbbbbb"]) {
    const data = encodedData({
      ...GOOD,
      "token-id": id,
      ...(id === "aaaaaa" && { expiration: "2026-01-01T01:00:00Z" }),
    });
    const metadata = { name: `bootstrap-token-${id}` };
    await call(run.api, "POST", SECRETS, { metadata, type: "bootstrap.kubernetes.io/token", data });
  }
  const keys = async () => Object.keys((await call(run.api, "GET", `${INFO}/cluster-info`)).at("data") as object);
  await eventually(async () =>
    expect(await keys()).toEqual(["jws-kubeconfig-aaaaaa", "jws-kubeconfig-bbbbbb", "kubeconfig"]),
  );
  await run.pass(3_600_000);
  await eventually(async () => {
    expect((await call(run.api, "GET", `${SECRETS}/bootstrap-token-aaaaaa`)).status).toBe(404);
    expect(await keys()).toEqual(["jws-kubeconfig-bbbbbb", "kubeconfig"]);
  });
  expect(run.problems).toEqual([]);
});
