import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubernetesClient, type KubernetesClient } from "../../../src/client/index.js";
import { SelfMadeCertificate } from "../../../src/client/manager/webhooks/self-made-certificate.js";
import { surroundingsOf } from "../../../src/client/surroundings.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { PemPair } from "../../../src/machinery/crypto/key-pair.js";

const NAMES = ["hooks.default.svc", "127.0.0.1"];
const YEAR = 365 * 24 * 60 * 60 * 1000;

let cluster: Cluster;
let client: KubernetesClient;
beforeAll(async () => {
  cluster = await startCluster({ port: false });
  client = kubernetesClient(cluster);
  await client.of("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration").create({
    metadata: { name: "hooks" },
    webhooks: [
      hook("own.example.com", { service: { namespace: "default", name: "hooks" } }),
      hook("own-by-url.example.com", { url: "https://127.0.0.1:9443/x" }),
      hook("foreign.example.com", { service: { namespace: "other", name: "hooks" } }),
    ],
  });
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});

const hook = (name: string, clientConfig: object) => ({
  name,
  clientConfig,
  admissionReviewVersions: ["v1"],
  sideEffects: "None" as const,
  rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["nodes"], operations: ["CREATE" as const] }],
});

/** One replica, at a time of the clock, and what it shows. */
function replica(secret: string, now = Date.now(), names = NAMES) {
  const shown: PemPair[] = [];
  const made = new SelfMadeCertificate({
    secret: { namespace: "default", name: secret },
    names,
    client,
    surroundings: surroundingsOf({ clock: { now: () => now } }),
    show: (pair) => shown.push(pair),
    converts: false,
    report: (error) => expect.fail(String(error)),
  });
  const last = () => new X509Certificate(shown.at(-1)?.certificate ?? "");
  return { shown, last, look: () => made.look() };
}

const bundles = async (): Promise<(string | undefined)[]> => {
  const { webhooks = [] } = await client
    .of("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration")
    .get("hooks");
  return webhooks.map(
    ({ clientConfig }) => clientConfig.caBundle && Buffer.from(clientConfig.caBundle, "base64").toString(),
  );
};

describe("the certificate that a manager makes for its webhooks", () => {
  test("is for all names, and its authority stands in the configurations that lead to one of them, and in no other", async () => {
    const one = replica("first");
    await one.look();
    expect(NAMES.map((name) => one.last().checkHost(name) ?? one.last().checkIP(name))).toEqual(NAMES);
    const [byService, byUrl, foreign] = await bundles();
    expect(one.last().verify(new X509Certificate(byService ?? "").publicKey)).toBe(true);
    expect(byUrl).toBe(byService);
    expect(foreign).toBeUndefined();
  });

  test("is shared by replicas that start at the same time", async () => {
    const replicas = [replica("shared"), replica("shared"), replica("shared")];
    await Promise.all(replicas.map(({ look }) => look()));
    expect(new Set(replicas.map(({ last }) => last().fingerprint256)).size).toBe(1);
  });

  test("stays as it is at the next look, and nothing is written", async () => {
    const one = replica("kept");
    await one.look();
    const version = async () =>
      (await client.of("v1", "Secret").namespace("default").get("kept")).metadata?.resourceVersion;
    const before = await version();
    await one.look();
    expect(one.shown).toHaveLength(1);
    expect(await version()).toBe(before);
  });

  test("is renewed by the same authority when two thirds of its year are over", async () => {
    const early = replica("yearly");
    await early.look();
    const late = replica("yearly", Date.now() + 0.7 * YEAR);
    await late.look();
    expect(late.last().fingerprint256).not.toBe(early.last().fingerprint256);
    const [bundle] = await bundles();
    expect(early.last().verify(new X509Certificate(bundle ?? "").publicKey)).toBe(true);
    expect(late.last().verify(new X509Certificate(bundle ?? "").publicKey)).toBe(true);
  });

  test("has a new authority when two thirds of ten years are over, and the old one is trusted beside it", async () => {
    const early = replica("decade");
    await early.look();
    const late = replica("decade", Date.now() + 7 * YEAR);
    await late.look();
    const [bundle = ""] = await bundles();
    const trusted = bundle.split(/(?=-----BEGIN)/).map((text) => new X509Certificate(text));
    expect(trusted).toHaveLength(2);
    expect(late.last().verify(trusted[0]?.publicKey ?? expect.fail())).toBe(true);
    expect(early.last().verify(trusted[1]?.publicKey ?? expect.fail())).toBe(true);
  });

  test("is made anew where the Secret holds another name's, or something else", async () => {
    await replica("replaced", Date.now(), ["old.default.svc"]).look();
    const one = replica("replaced");
    await one.look();
    expect(one.last().checkHost("hooks.default.svc")).toBe("hooks.default.svc");
    const secrets = client.of("v1", "Secret").namespace("default");
    await secrets.patch("replaced", { data: { "tls.crt": "bm9uZQ==" } }, { type: "merge" });
    await one.look();
    expect(one.shown).toHaveLength(2);
  });
});
