import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { certificateRequest } from "../helpers/certificate-request.js";
import { eventually } from "../helpers/eventually.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl interop is skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)("kubectl 1.37.1: deletion, drain, tokens, certificates and debug", () => {
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await startCluster({ ...quietCluster });
    kubectl = await realKubectl(cluster);
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster.close();
  });

  const apply = (...objects: readonly object[]) =>
    kubectl.ok("create -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));

  /** A Deployment of that name and a ReplicaSet it owns, as its controller would make it. */
  async function deployment(name: string): Promise<void> {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { selector: { matchLabels: labels }, template };
    await apply({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec });
    const uid = await kubectl.ok(`get deployment ${name} -o jsonpath={.metadata.uid}`);
    const owner = { apiVersion: "apps/v1", kind: "Deployment", name, uid, controller: true, blockOwnerDeletion: true };
    await apply({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name, labels, ownerReferences: [owner] },
      spec,
    });
  }

  const left = async (name: string) => (await kubectl.ok(`get deployment,rs -l app=${name} -o name`)).trim();

  test("delete deployment deletes its ReplicaSet too", async () => {
    await deployment("background");
    expect(await kubectl.ok("delete deployment background")).toBe(
      'deployment.apps "background" deleted from default namespace\n',
    );
    await eventually(async () => expect(await left("background")).toBe(""));
  });

  test("delete --cascade=foreground waits for the ReplicaSet", async () => {
    await deployment("foreground");
    await kubectl.ok("delete deployment foreground --cascade=foreground");
    expect(await kubectl.run("get rs foreground")).toMatchObject({ code: 1 });
  });

  test("delete --cascade=orphan keeps the ReplicaSet", async () => {
    await deployment("orphan");
    await kubectl.ok("delete deployment orphan --cascade=orphan");
    expect(await left("orphan")).toBe("replicaset.apps/orphan");
    expect(await kubectl.ok("get rs orphan -o jsonpath={.metadata.ownerReferences}")).toBe("");
  });

  test("drain waits while a budget allows no disruption, and goes on without the budget", async () => {
    await apply(
      { apiVersion: "v1", kind: "Node", metadata: { name: "node" } },
      {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "budget" },
        spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
      },
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "web", labels: { app: "web" } },
        spec: { nodeName: "node", terminationGracePeriodSeconds: 1, containers: [{ name: "c", image: "i" }] },
      },
    );
    const status = JSON.stringify({ status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } });
    await kubectl.ok(["patch", "pod", "web", "--subresource=status", "--type=merge", "-p", status]);
    await eventually(async () => {
      expect(await kubectl.ok("get pdb budget -o jsonpath={.status.currentHealthy}")).toBe("1");
    });
    const refused = await kubectl.run("drain node --force --timeout=2s");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      `error when evicting pods/"web" -n "default" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`,
    );
    await kubectl.ok("delete pdb budget");
    expect(await kubectl.ok("drain node --force")).toContain("node/node drained\n");
    expect(await kubectl.run("get pod web")).toMatchObject({ code: 1 });
  });

  test("create token makes a token of the service account, for the requested time", async () => {
    await kubectl.ok("create serviceaccount robot");
    const token = (await kubectl.ok("create token robot --duration=20m")).trim();
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as {
      exp: number;
      iat: number;
    };
    expect(claims.exp - claims.iat).toBe(1200);
    const config = join(kubectl.folder, "robot.kubeconfig");
    const caFile = join(kubectl.folder, "ca.crt");
    await writeFile(caFile, cluster.caCertificate);
    await writeFile(config, "");
    const who = `--kubeconfig=${config} --server=${cluster.url} --certificate-authority=${caFile} --token=${token}`;
    expect(await kubectl.ok(`${who} auth whoami -o jsonpath={.status.userInfo.username}`)).toBe(
      "system:serviceaccount:default:robot",
    );
    expect(await kubectl.run("create token robot --duration=5m")).toMatchObject({ code: 1 });
  });

  test("certificate approve and deny decide a request, and only the approved user may connect", async () => {
    const { request, key } = await certificateRequest("CN=jane,O=developers");
    for (const name of ["yes", "no"]) {
      await apply({
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        metadata: { name },
        spec: {
          request: Buffer.from(request).toString("base64"),
          signerName: "kubernetes.io/kube-apiserver-client",
          usages: ["client auth"],
          expirationSeconds: 3600,
        },
      });
    }
    expect(await kubectl.ok("certificate approve yes")).toBe(
      "certificatesigningrequest.certificates.k8s.io/yes approved\n",
    );
    await kubectl.ok("certificate deny no");
    const certificate = await eventually(async () => {
      const text = await kubectl.ok("get csr yes -o jsonpath={.status.certificate}");
      expect(text).not.toBe("");
      return Buffer.from(text, "base64").toString("utf8");
    });
    expect(await kubectl.ok("get csr -o jsonpath={.items[*].status.conditions[*].type}")).toBe("Denied Approved");
    const files = { "jane.crt": certificate, "jane.key": key, "ca.crt": cluster.caCertificate, "jane.config": "" };
    for (const [name, text] of Object.entries(files)) await writeFile(join(kubectl.folder, name), text);
    const jane = `--kubeconfig=jane.config --server=${cluster.url} --certificate-authority=ca.crt --client-certificate=jane.crt --client-key=jane.key`;
    expect(JSON.parse(await kubectl.ok(`${jane} auth whoami -o jsonpath={.status.userInfo}`))).toMatchObject({
      username: "jane",
      groups: ["developers", "system:authenticated"],
    });
    expect(await kubectl.ok("get csr no -o jsonpath={.status.certificate}")).toBe("");
  });

  test("debug adds a container to an existing pod", async () => {
    await apply({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "looked-at" },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    await kubectl.ok("debug looked-at --image=busybox -c look --profile=general --attach=false");
    expect(await kubectl.ok("get pod looked-at -o jsonpath={.spec.ephemeralContainers[*].name}")).toBe("look");
  });
});
