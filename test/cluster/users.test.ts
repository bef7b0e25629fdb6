import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestClientCertificate } from "../../src/actions/request-client-certificate.js";
import { configFromText, kubernetesClient } from "../../src/client/index.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { startServer } from "../../src/cluster/start-server.js";

// Users of a cluster: the name and the groups of a certificate are the user's.
let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(async () => {
  await cluster.close();
});

async function whoAmI(kubeconfig: string): Promise<unknown> {
  const client = kubernetesClient(await configFromText(kubeconfig));
  try {
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" } as const;
    const answer = await client
      .of<{ apiVersion: string; kind: string; status?: { userInfo: object } }>(review.apiVersion, review.kind)
      .create(review);
    return answer.status?.userInfo;
  } finally {
    await client.close();
  }
}

describe("kubeconfig() of a cluster", () => {
  test("is the administrator's without a user", async () => {
    expect(await whoAmI(cluster.kubeconfig())).toMatchObject({
      username: "kubernetes-admin",
      groups: ["system:masters", "system:authenticated"],
    });
  });

  test("contains for a user and groups a certificate of that user in these groups", async () => {
    expect(await whoAmI(cluster.kubeconfig({ user: "jane", groups: ["developers", "on-call"] }))).toMatchObject({
      username: "jane",
      groups: ["developers", "on-call", "system:authenticated"],
    });
  });

  test("needs no group for a user, and makes another certificate each time", async () => {
    const [first, second] = [cluster.kubeconfig({ user: "zoë" }), cluster.kubeconfig({ user: "zoë" })];
    expect(first).not.toBe(second);
    expect(await whoAmI(first)).toMatchObject({ username: "zoë", groups: ["system:authenticated"] });
  });

  test("refuses an empty user name", () => {
    expect(() => cluster.kubeconfig({ user: "" })).toThrow("the user has no name: set the option user");
  });

  test("works for a server that the caller composes", async () => {
    await using server = await startServer({ resources: [] });
    expect(JSON.parse(server.kubeconfig({ user: "jane" }))).toMatchObject({ "current-context": "kubets" });
  });
});

describe("requestClientCertificate() of a cluster", () => {
  test("resolves with a signed certificate, and deletes its request", async () => {
    const client = kubernetesClient(cluster);
    const made = await requestClientCertificate(client, { user: "jane", groups: ["developers"] });
    expect(made.certificate).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(made.key).toMatch(/^-----BEGIN EC PRIVATE KEY-----/);
    expect((await client.of("certificates.k8s.io/v1", "CertificateSigningRequest").list()).items).toEqual([]);
    await client.close();
  });

  test("rejects at its time limit when nothing in the cluster signs, and deletes its request", async () => {
    await using silent = await startCluster({
      controllers: ["*", "-certificatesigningrequest-signing-controller"],
      port: false,
    });
    const client = kubernetesClient(silent);
    await expect(requestClientCertificate(client, { user: "jane", groups: [], timeout: 200 })).rejects.toThrow(
      "no certificate for jane after 0.2 seconds: nothing in the cluster signs for kubernetes.io/kube-apiserver-client",
    );
    expect((await client.of("certificates.k8s.io/v1", "CertificateSigningRequest").list()).items).toEqual([]);
    await client.close();
  });
});
