import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { eventually } from "../helpers/eventually.js";
import { accountFlags, examplePath, playReadme, startBehind, startNode } from "../helpers/example-program.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`ProvisionRequests behind a main server are skipped: ${missing}\n`);

const GROUP = "provision.mydomain.com";
const NAMESPACE = "kubernetescode-aapiserver";
const REGISTERED = [
  `--register-service=${NAMESPACE}/service`,
  "--register-group-priority-minimum=2000",
  "--register-version-priority=10",
  "-v=1",
];

const requestOf = (company: string, namespaceName: string, spec: object = {}) =>
  JSON.stringify({
    apiVersion: `${GROUP}/v1`,
    kind: "ProvisionRequest",
    metadata: { name: `pr-for-company-${company}`, labels: { company } },
    spec: { ingressEntrance: `/${company}/`, namespaceName, ...spec },
  });

describe.skipIf(missing !== undefined)("kubectl on the ProvisionRequest example server behind a main server", () => {
  let main: Cluster;
  let kubectl: RealKubectl;
  let server: Awaited<ReturnType<typeof startBehind>>;
  let flags: readonly string[];

  beforeAll(async () => {
    main = await startCluster({ nodes: 1 });
    kubectl = await realKubectl(main);
    await cp(examplePath("provision-request"), kubectl.folder, { recursive: true });
    await kubectl.ok("apply -f manifests.yaml");
    flags = await accountFlags(kubectl, NAMESPACE, "aapiserver");
    server = await startBehind("provision-request/server.mjs", [...flags, ...REGISTERED]);
    await eventually(() => kubectl.ok("get provisionrequests"));
  });
  afterAll(async () => {
    expect(await server?.end()).toEqual([0, null]);
    await kubectl?.[Symbol.asyncDispose]();
    await main?.close();
  });

  const field = (path: string, ...words: string[]): Promise<string> =>
    kubectl.ok(["get", ...words, "-o", `jsonpath={${path}}`]);

  test("AT-02, AT-03, AT-17, AT-23, P9-2, P9-9: finds both versions, v1 preferred", async () => {
    await eventually(async () => {
      const versions = (await kubectl.ok("api-versions")).split("\n").filter((line) => line.startsWith(GROUP));
      expect(versions).toEqual([`${GROUP}/v1`, `${GROUP}/v1alpha1`]);
      expect(JSON.parse(await kubectl.ok(`get --raw /apis/${GROUP}`)).preferredVersion.version).toBe("v1");
    });
    const list = JSON.parse(await kubectl.ok(`get --raw /apis/${GROUP}/v1alpha1`)) as { resources: { name: string }[] };
    expect(list.resources.map(({ name }) => name)).toEqual(["provisionrequests", "provisionrequests/status"]);
  });

  test("AT-01, AT-04, AT-05, AT-06, AT-07, AT-09, AT-18, AT-19, P9-1, P9-8, P9-11, P9-12, P9-19, P9-21: prints the transcript of the README", async () => {
    const played = await playReadme(kubectl, "provision-request/README.md");
    expect(played).toHaveLength(6);
    for (const { command, written, printed } of played) expect(printed, command).toBe(written);
  });

  test("P9-10, P9-15, P9-16, P9-17, A-AUTHN-05: finds, with an administrator's certificate, the server's own version, etcd prefix and hook", async () => {
    const direct = (path: string): Promise<string> =>
      kubectl.ok(["get", "--raw", path, `--server=https://127.0.0.1:${server.port}`, "--insecure-skip-tls-verify"]);
    expect(JSON.parse(await direct("/version"))).toMatchObject({ major: "1", minor: "0" });
    expect(await direct("/readyz?verbose")).toContain("[+]poststarthook/aapiserver-controller ok\n");
    const log = server.log.join("\n");
    expect(log).toContain('FLAG: --etcd-prefix="/registry/provision-apiserver.mydomain.com"');
    expect(log).toContain("FLAG: --authentication-kubeconfig=");
  });

  test("AT-12, AT-13: changes spec and status separately, and gets a conflict for an outdated version", async () => {
    const path = `/apis/${GROUP}/v1/namespaces/default/provisionrequests/pr-for-company-abc`;
    const isReady = "wait provisionrequest/pr-for-company-abc --for=jsonpath={.status.dbReady}=true";
    await kubectl.ok(isReady);
    const stored = JSON.parse(await kubectl.ok(["get", "--raw", path]));
    const status = { ingressReady: false, dbReady: false };
    const put = (what: string, value: object) =>
      kubectl.run(["replace", "--raw", `${path}${what}`, "-f", "-"], JSON.stringify(value));
    const labels = { ...stored.metadata.labels, changed: "yes" };
    const changed = { ...stored, metadata: { ...stored.metadata, labels }, status };
    const main = JSON.parse((await put("", changed)).stdout);
    expect([main.metadata.labels, main.status]).toEqual([labels, stored.status]);
    const other = {
      ...main,
      metadata: { ...main.metadata, labels: {} },
      spec: { ...main.spec, ingressEntrance: "/no/" },
    };
    const after = JSON.parse((await put("/status", { ...other, status })).stdout);
    expect([after.metadata.labels, after.spec, after.status]).toEqual([labels, main.spec, status]);
    expect((await put("", changed)).stderr).toContain("Error from server (Conflict)");
    await kubectl.ok(isReady);
  });

  test("AT-20, P9-20, P11-1: sees the customer's database run", async () => {
    await eventually(async () => {
      const [, row = ""] = (await kubectl.ok("get deployment -n companyxyz")).split("\n");
      expect(row.split(/ +/).slice(0, 4)).toEqual(["cust-db", "1/1", "1", "1"]);
    });
    expect(await field(".spec.template.spec.containers[0].image", "deployment", "cust-db", "-n", "companyabc")).toBe(
      "mysql:5.7",
    );
  });

  test("AT-21, AT-22, P9-3, P11-2, P11-3, P11-4: reads the same limit in both versions, and MEDIUM for a volume that was left out", async () => {
    for (const version of ["v1", "v1alpha1"]) {
      const words = [`provisionrequests.${version}.${GROUP}`, "pr-for-company-xyz"];
      expect(await field(".spec.businessDbCpuLimit", ...words)).toBe("500m");
      expect(await field(".spec.businessDbVolume", ...words)).toBe("MEDIUM");
    }
  });

  test("AT-08: creates a customer with an impossible namespace name, whose status stays false", async () => {
    await kubectl.ok("create -f -", requestOf("bad", "companyBad"));
    await eventually(() => expect(server.log.join("\n")).toContain("fail to create customer namespace"));
    expect(JSON.parse(await field(".status", "provisionrequest", "pr-for-company-bad"))).toEqual({
      ingressReady: false,
      dbReady: false,
    });
  });

  test("AT-11: creates a customer whose namespace exists already, and no second namespace appears", async () => {
    await kubectl.ok("create namespace companythere");
    const uid = await field(".metadata.uid", "namespace", "companythere");
    await kubectl.ok("create -f -", requestOf("there", "companythere"));
    await kubectl.ok("wait provisionrequest/pr-for-company-there --for=jsonpath={.status.dbReady}=true");
    expect(await field(".metadata.uid", "namespace", "companythere")).toBe(uid);
    expect(server.log.join("\n")).not.toContain("companythere");
  });

  test("AT-10: deletes a database that is not created again once the request's status says that it exists", async () => {
    await kubectl.ok("delete deployment cust-db -n companyabc");
    await kubectl.ok("label provisionrequest pr-for-company-abc seen=yes");
    await kubectl.ok("create -f -", requestOf("later", "companylater"));
    await kubectl.ok("wait provisionrequest/pr-for-company-later --for=jsonpath={.status.dbReady}=true");
    expect(await kubectl.ok("get deployments -n companyabc -o name")).toBe("");
  });

  test("P11-5, P9-18: works with the controller in a process of its own, and the server without one", async () => {
    expect(await server.end()).toEqual([0, null]);
    server = await startBehind("provision-request/server.mjs", [...flags, ...REGISTERED, "--controller=false"]);
    await eventually(() => kubectl.ok("create -f -", requestOf("own", "companyown", { businessDbCpuLimit: "1000m" })));
    expect(await field(".status.dbReady", "provisionrequest", "pr-for-company-own")).toBe("false");
    const kubeconfig = join(kubectl.folder, `${NAMESPACE}.conf`);
    const manager = await startNode("provision-request/manager.mjs", [kubeconfig], "The controller of");
    await kubectl.ok("wait provisionrequest/pr-for-company-own --for=jsonpath={.status.dbReady}=true");
    expect(
      await field(
        ".spec.template.spec.containers[0].resources.limits.cpu",
        "deployment",
        "cust-db",
        "-n",
        "companyown",
      ),
    ).toBe("1");
    expect(await manager.end()).toEqual([0, null]);
  });

  test("AT-14: is refused without rights in the main server's words", async () => {
    expect((await kubectl.run("get provisionrequests --as=stranger")).stderr).toBe(
      `Error from server (Forbidden): provisionrequests.${GROUP} is forbidden: User "stranger" cannot list resource "provisionrequests" in API group "${GROUP}" in the namespace "default"\n`,
    );
  });
});
