import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { eventually } from "../helpers/eventually.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl interop is skipped: ${missing}\n`);

const FORCED =
  "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\n";

describe.skipIf(missing !== undefined)("kubectl 1.37.1 delete: finalizers, selectors, grace", () => {
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await startCluster();
    kubectl = await realKubectl(cluster);
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster.close();
  });

  const maps = (...names: readonly string[]) =>
    kubectl.ok(
      "create -f -",
      JSON.stringify({
        apiVersion: "v1",
        kind: "List",
        items: names.map((name) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name, labels: { set: name.split("-")[0] } },
        })),
      }),
    );
  const patch = (what: string, body: object) =>
    kubectl.run(["patch", ...what.split(" "), "--type=merge", "-p", JSON.stringify(body)]);
  const said = (stdout: string, stderr = "") => ({ code: 0, stdout, stderr });
  const failed = (stderr: string, stdout = "") => ({ code: 1, stdout, stderr });
  const pod = (name: string, spec: object = {}) =>
    kubectl.ok(["run", name, "--image=i", `--overrides=${JSON.stringify({ spec: { nodeName: "node", ...spec } })}`]);

  test("a finalizer keeps a deleted object until it is removed", async () => {
    await maps("held");
    await patch("cm held", { metadata: { finalizers: ["example.com/hold"] } });
    expect(await kubectl.run("delete cm held --timeout=1500ms")).toEqual(
      failed(
        "error: timed out waiting for the condition on configmaps/held\n",
        'configmap "held" deleted from default namespace\n',
      ),
    );
    expect(
      await kubectl.ok("get cm held -o jsonpath={.metadata.deletionTimestamp},{.metadata.deletionGracePeriodSeconds}"),
    ).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ,0$/);
    // It can still change, but nobody else can hold it now.
    expect((await patch("cm held", { metadata: { labels: { more: "yes" } } })).code).toBe(0);
    expect(await patch("cm held", { metadata: { finalizers: ["example.com/hold", "example.com/more"] } })).toEqual(
      failed(
        'The ConfigMap "held" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}\n',
      ),
    );
    const waiting = kubectl.run("delete cm held");
    expect((await patch("cm held", { metadata: { finalizers: null } })).code).toBe(0);
    expect(await kubectl.run("get cm held")).toEqual(
      failed('Error from server (NotFound): configmaps "held" not found\n'),
    );
    // The second delete may have come after the end.
    expect((await waiting).stderr).toMatch(/^(Error from server \(NotFound\): configmaps "held" not found\n)?$/);
  });

  test("deletes by selector, by field, all of a kind and several kinds, each with a dry run first", async () => {
    await maps("sel-1", "sel-2", "sel-3");
    const gone = (name: string, how = "") => `configmap "${name}" deleted from default namespace${how}\n`;
    const dry = " (server dry run)";
    expect(await kubectl.ok("delete cm -l set=sel --dry-run=server")).toBe(
      gone("sel-1", dry) + gone("sel-2", dry) + gone("sel-3", dry),
    );
    expect(await kubectl.ok("delete cm -l set=sel --field-selector=metadata.name=sel-2")).toBe(gone("sel-2"));
    expect(await kubectl.ok("delete cm -l set=sel")).toBe(gone("sel-1") + gone("sel-3"));
    expect(await kubectl.run("delete cm -l set=sel")).toEqual(said("No resources found\n"));

    await kubectl.ok("create namespace all");
    await kubectl.ok("create cm one -n all");
    await kubectl.ok("create secret generic two -n all");
    expect(await kubectl.ok("delete cm,secret --all -n all")).toMatch(
      /configmap "one" deleted from all namespace\n(.*\n)*secret "two" deleted from all namespace\n$/,
    );
  });

  test("reports objects that do not exist", async () => {
    expect(await kubectl.run("delete cm nope other")).toEqual(
      failed(
        'Error from server (NotFound): configmaps "nope" not found\nError from server (NotFound): configmaps "other" not found\n',
      ),
    );
    expect(await kubectl.run("delete cm nope --ignore-not-found")).toEqual(said(""));
    expect(await kubectl.run("delete --raw /api/v1/namespaces/default/configmaps/nope")).toEqual(
      failed('Error from server (NotFound): configmaps "nope" not found\n'),
    );
  });

  test("--raw prints the Status of the answer", async () => {
    await maps("raw");
    expect(JSON.parse(await kubectl.ok("delete --raw /api/v1/namespaces/default/configmaps/raw"))).toMatchObject({
      kind: "Status",
      status: "Success",
      details: { name: "raw", kind: "configmaps" },
    });
  });

  describe("deleting a pod", () => {
    const grace = (name: string) => kubectl.ok(`get pod ${name} -o jsonpath={.metadata.deletionGracePeriodSeconds}`);

    test("on a node takes its grace period, which can only be shortened", async () => {
      await pod("graceful");
      await kubectl.ok("delete pod graceful --wait=false");
      expect(await grace("graceful")).toBe("30");
      expect(await kubectl.ok("get pod graceful --no-headers")).toMatch(/^graceful +0\/1 +Terminating +0 +\d+s\n$/);
      await kubectl.ok("delete pod graceful --wait=false --grace-period=60");
      expect(await grace("graceful")).toBe("30");
      await kubectl.ok("delete pod graceful --wait=false --grace-period=20");
      expect(await grace("graceful")).toBe("20");
      expect(await kubectl.ok("delete pod graceful --now")).toBe('pod "graceful" deleted from default namespace\n');
      expect((await kubectl.run("get pod graceful")).code).toBe(1);
    });

    test("with --grace-period=0 --force warns that it does not wait, and waits without --force", async () => {
      await pod("forced");
      expect(await kubectl.run("delete pod forced --grace-period=0 --force")).toEqual(
        said('pod "forced" force deleted from default namespace\n', FORCED),
      );
      expect((await kubectl.run("get pod forced")).code).toBe(1);
      await pod("soon");
      expect(await kubectl.run("delete pod soon --grace-period=0")).toEqual(
        said('pod "soon" deleted from default namespace\n'),
      );
      expect((await kubectl.run("get pod soon")).code).toBe(1);
    });

    test("without a node removes it at once", async () => {
      await kubectl.ok("run nowhere --image=i");
      await kubectl.ok("delete pod nowhere --wait=false");
      expect((await kubectl.run("get pod nowhere")).code).toBe(1);
    });

    test("with a finalizer does not remove it, even with --force", async () => {
      await pod("held");
      await patch("pod held", { metadata: { finalizers: ["example.com/hold"] } });
      await kubectl.ok("delete pod held --grace-period=0 --force --wait=false");
      expect(await grace("held")).toBe("0");
      await patch("pod held", { metadata: { finalizers: null } });
      expect((await kubectl.run("get pod held")).code).toBe(1);
    });
  });

  describe("deleting a namespace", () => {
    test("shows what holds it up, refuses new objects, and ends when the content is gone", async () => {
      await kubectl.ok("create namespace stuck");
      await kubectl.ok("create cm held -n stuck");
      await patch("cm held -n stuck", { metadata: { finalizers: ["example.com/hold"] } });
      await kubectl.ok("delete namespace stuck --wait=false");
      expect(await kubectl.ok("get ns stuck -o jsonpath={.status.phase},{.spec.finalizers}")).toBe(
        'Terminating,["kubernetes"]',
      );
      expect(await kubectl.run("create cm more -n stuck")).toEqual(
        failed(
          'error: failed to create configmap: configmaps "more" is forbidden: unable to create new content in namespace stuck because it is being terminated\n',
        ),
      );
      await eventually(async () => {
        const conditions = await kubectl.ok([
          "get",
          "ns",
          "stuck",
          "-o",
          'jsonpath={range .status.conditions[?(@.status=="True")]}{.type} {.reason} {.message}{"\\n"}{end}',
        ]);
        expect(conditions).toBe(
          "NamespaceContentRemaining SomeResourcesRemain Some resources are remaining: configmaps. has 1 resource instances\nNamespaceFinalizersRemaining SomeFinalizersRemain Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances\n",
        );
      });
      await patch("cm held -n stuck", { metadata: { finalizers: null } });
      await kubectl.ok("wait --for=delete ns/stuck --timeout=30s");
    });

    test.each(["default", "kube-system", "kube-public"])("is refused for %s", async (name) => {
      expect(await kubectl.run(`delete namespace ${name}`)).toEqual(
        failed(`Error from server (Forbidden): namespaces "${name}" is forbidden: this namespace may not be deleted\n`),
      );
    });
  });

  describe("delete --cascade", () => {
    /** An owner, and what it owns, which no one of the two's kinds has a controller for. */
    async function family(name: string, more: object = {}): Promise<void> {
      await maps(name);
      const uid = await kubectl.ok(`get cm ${name} -o jsonpath={.metadata.uid}`);
      const owner = { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true };
      const metadata = { name: `${name}-child`, ownerReferences: [owner], ...more };
      await kubectl.ok("create -f -", JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata }));
    }
    const child = (name: string) => kubectl.run(`get secret ${name}-child -o name`);

    test("foreground keeps the owner until its child, held by a finalizer, is gone", async () => {
      await family("fore", { finalizers: ["example.com/hold"] });
      await kubectl.ok("delete cm fore --cascade=foreground --wait=false");
      expect(await kubectl.ok("get cm fore -o jsonpath={.metadata.finalizers}")).toBe('["foregroundDeletion"]');
      await eventually(async () => {
        expect(await kubectl.ok("get secret fore-child -o jsonpath={.metadata.deletionTimestamp}")).not.toBe("");
      });
      expect((await kubectl.run("get cm fore")).code).toBe(0);
      await patch("secret fore-child", { metadata: { finalizers: null } });
      await kubectl.ok("wait --for=delete cm/fore --timeout=30s");
      expect((await child("fore")).code).toBe(1);
    });

    test("background removes the owner at once, and the child afterwards", async () => {
      await family("back");
      expect(await kubectl.ok("delete cm back --cascade=background")).toBe(
        'configmap "back" deleted from default namespace\n',
      );
      await eventually(async () => expect((await child("back")).code).toBe(1));
    });

    test("orphan keeps the child without an owner", async () => {
      await family("orphan");
      await kubectl.ok("delete cm orphan --cascade=orphan");
      expect(await child("orphan")).toEqual(said("secret/orphan-child\n"));
      expect(await kubectl.ok("get secret orphan-child -o jsonpath={.metadata.ownerReferences}")).toBe("");
    });

    test("with another value is refused", async () => {
      expect(await kubectl.run("delete cm kube-root-ca.crt --cascade=sideways")).toEqual(
        failed('error: invalid cascade value (sideways). Must be "background", "foreground", or "orphan"\n'),
      );
    });
  });
});
