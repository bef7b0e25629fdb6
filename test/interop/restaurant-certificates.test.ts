import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { get } from "../cluster/delegation/main-server.js";
import { eventually } from "../helpers/eventually.js";
import { accountFlags, examplePath, startBehind } from "../helpers/example-program.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";
import { newAuthority, servingCertificate } from "../helpers/tls-peer.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`the restaurant's certificates are skipped: ${missing}\n`);

const GROUP = "restaurant.programming-kubernetes.info";
const NAMES = ["v1alpha1", "v1beta1"].map((version) => `${version}.${GROUP}`);
const PIZZAS = `/apis/${GROUP}/v1beta1/namespaces/default/pizzas`;

describe.skipIf(missing !== undefined)(
  "T12, A-CERT-01: the restaurant server's APIServices, with and without a certificate",
  () => {
    const authority = newAuthority();
    let main: Cluster;
    let kubectl: RealKubectl;
    let flags: readonly string[];
    let restaurant: Awaited<ReturnType<typeof startBehind>>;

    beforeAll(async () => {
      main = await startCluster(quietCluster);
      kubectl = await realKubectl(main);
      await kubectl.ok(["apply", "-f", examplePath("restaurant/manifests")]);
      const { certificate, key } = servingCertificate(authority, "api", ["api.pizza-apiserver.svc"]);
      const [certFile, keyFile] = [join(kubectl.folder, "tls.crt"), join(kubectl.folder, "tls.key")];
      await writeFile(certFile, certificate);
      await writeFile(keyFile, key);
      flags = [
        ...(await accountFlags(kubectl, "pizza-apiserver", "apiserver")),
        `--tls-cert-file=${certFile}`,
        `--tls-private-key-file=${keyFile}`,
      ];
      restaurant = await startBehind("restaurant/server.mjs", flags);
      await kubectl.ok("create service externalname api --external-name=localhost --namespace=pizza-apiserver");
    });
    afterAll(async () => {
      expect(await restaurant?.end()).toEqual([0, null]);
      await kubectl?.[Symbol.asyncDispose]();
      await main?.close();
    });

    /** Applies the APIServices of both versions with these fields. */
    const apply = (fields: object): Promise<string> => {
      const items = NAMES.map((name, index) => ({
        apiVersion: "apiregistration.k8s.io/v1",
        kind: "APIService",
        metadata: { name },
        spec: {
          group: GROUP,
          version: name.split(".", 1)[0],
          groupPriorityMinimum: 1000,
          versionPriority: 15 + 5 * index,
          service: { namespace: "pizza-apiserver", name: "api", port: restaurant.port },
          ...fields,
        },
      }));
      return kubectl.ok("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    };
    const outcomes = (outcome: string): string =>
      NAMES.map((name) => `apiservice.apiregistration.k8s.io/${name} ${outcome}\n`).join("");
    const becomes = (status: string, reason: string): Promise<void> =>
      eventually(async () => {
        for (const name of NAMES) {
          const path = "jsonpath={.status.conditions[0].status} {.status.conditions[0].reason}";
          expect(await kubectl.ok(["get", "apiservice", name, "-o", path])).toBe(`${status} ${reason}`);
        }
      });
    const caBundle = Buffer.from(authority.certificate).toString("base64");

    test("A-APS-04: are available without a CA bundle when they skip verification", async () => {
      expect(await apply({ insecureSkipTLSVerify: true })).toBe(outcomes("created"));
      await becomes("True", "Passed");
      await eventually(async () => expect((await kubectl.run("get pizzas")).code).toBe(0));
    });

    test("A-CERT-02, A-CERT-03, A-CERT-04: stay available with a CA bundle in place of insecureSkipTLSVerify", async () => {
      expect(await apply({ caBundle })).toBe(outcomes("configured"));
      const spec = JSON.parse(await kubectl.ok(["get", "apiservice", NAMES[0] ?? "", "-o", "jsonpath={.spec}"]));
      expect(spec).toMatchObject({ caBundle, service: { namespace: "pizza-apiserver", name: "api" } });
      expect(spec).not.toHaveProperty("insecureSkipTLSVerify");
      await becomes("True", "Passed");
      expect((await kubectl.run("get pizzas")).code).toBe(0);
    });

    test("A-CERT-03: with a wrong CA bundle are unavailable, which their status explains, and requests fail", async () => {
      await apply({ caBundle: Buffer.from(newAuthority().certificate).toString("base64") });
      await becomes("False", "FailedDiscoveryCheck");
      expect((await kubectl.run(`get --raw ${PIZZAS}`)).stderr).toContain("ServiceUnavailable");
      await apply({ caBundle });
      await becomes("True", "Passed");
    });

    test("T10, AT-15, A-AUTHN-03, A-AUTHN-06, DA-2, DA-3, DA-5: ignore a user name in a header of a caller that is no front proxy", async () => {
      const url = `https://127.0.0.1:${restaurant.port}`;
      const direct = (headers: Record<string, string>) =>
        get({ url, caCertificate: authority.certificate }, PIZZAS, headers, undefined, "api.pizza-apiserver.svc");
      const forged = await direct({ "x-remote-user": "kubernetes-admin", "x-remote-group": "system:masters" });
      expect([forged.status, forged.text]).toEqual([403, expect.stringContaining('User \\"system:anonymous\\"')]);
      const token = (await kubectl.ok("create token default")).trim();
      const account = await direct({ authorization: `Bearer ${token}` });
      expect([account.status, account.text]).toEqual([
        403,
        expect.stringContaining('User \\"system:serviceaccount:default:default\\" cannot list'),
      ]);
      await kubectl.ok("create clusterrole eater --verb=list --resource=pizzas." + GROUP);
      await kubectl.ok("create clusterrolebinding eater --clusterrole=eater --serviceaccount=default:default");
      await eventually(async () => expect((await direct({ authorization: `Bearer ${token}` })).status).toBe(200));
    });

    test("T8, AT-16, A-AGG-04, AC-3: stay listed when the server is gone, answer 503, and other groups still work", async () => {
      const { port } = restaurant;
      expect(await restaurant.end()).toEqual([0, null]);
      await becomes("False", "FailedDiscoveryCheck");
      const raw = (path: string) => kubectl.ok(["get", "--raw", path]).then((text) => JSON.parse(text));
      expect((await raw("/apis")).groups.map(({ name }: { name: string }) => name)).toContain(GROUP);
      expect((await raw(`/apis/${GROUP}`)).preferredVersion.version).toBe("v1beta1");
      expect((await kubectl.run(`get --raw /apis/${GROUP}/v1beta1`)).stderr).toContain("ServiceUnavailable");
      expect(await kubectl.ok("get pods")).toBe("");
      restaurant = await startBehind("restaurant/server.mjs", flags);
      expect(restaurant.port).not.toBe(port);
      await apply({ caBundle });
      await becomes("True", "Passed");
    });
  },
);
