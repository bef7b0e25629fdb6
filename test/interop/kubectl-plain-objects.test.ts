import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { errorMessage } from "../../src/base/text/error-message.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { eventually } from "../helpers/eventually.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";
import { keptIn, objectsOf, widgets } from "../server/registry/plain-objects/widgets.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl interop is skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)("kubectl 1.37.1 on a resource whose objects the user's code keeps", () => {
  const kept = new Map<string, KubeObject>();
  const graces: (number | undefined)[] = [];
  let fault: unknown;
  const reported: string[] = [];
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    const source = objectsOf(kept);
    const broken = objectsOf(new Map());
    cluster = await startCluster({
      ...quietCluster,
      onError: (error) => reported.push(errorMessage(error)),
      resources: [
        keptIn(
          {
            ...source,
            /** Goes at once without a grace period, else when the test takes it away. */
            delete(name, { namespace, gracePeriodSeconds, now }) {
              graces.push(gracePeriodSeconds);
              const object = kept.get(`${namespace}/${name}`);
              if (object === undefined || gracePeriodSeconds === undefined || gracePeriodSeconds === 0) {
                return source.delete(name, { namespace } as Parameters<typeof source.delete>[1]);
              }
              const deletionTimestamp = `${new Date(now + gracePeriodSeconds * 1000).toISOString().slice(0, 19)}Z`;
              const marked = { ...object, metadata: { ...object.metadata, deletionTimestamp } };
              kept.set(`${namespace}/${name}`, marked);
              return marked;
            },
          },
          { poll: 200 },
        ),
        {
          ...widgets,
          group: "broken.example.com",
          storage: {
            poll: 200,
            objects: {
              ...broken,
              list(request) {
                if (fault !== undefined) throw fault;
                return broken.list(request);
              },
            },
          },
        },
      ],
    });
    kubectl = await realKubectl(cluster);
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster.close();
  });

  const widget = (name: string, spec: object, namespace = "default") =>
    JSON.stringify({ apiVersion: "stable.example.com/v1", kind: "Widget", metadata: { name, namespace }, spec });

  test("A-CAP-03: creates, lists, explains, edits, patches, applies and deletes them", async () => {
    expect(await kubectl.ok("create -f -", widget("one", { size: 1 }))).toBe("widget.stable.example.com/one created\n");
    expect((await kubectl.run("create -f -", widget("one", { size: 1 }))).stderr).toBe(
      'Error from server (AlreadyExists): error when creating "STDIN": widgets.stable.example.com "one" already exists\n',
    );
    expect(await kubectl.ok("get widgets.stable.example.com -o jsonpath={.items[*].spec.size}")).toBe("1");
    expect(await kubectl.ok("explain widgets.stable.example.com.spec.size")).toContain("FIELD: size <integer>");
    await kubectl.ok(["patch", "widgets.stable.example.com", "one", "--type=merge", "-p", '{"spec":{"size":2}}']);
    expect(await kubectl.ok("apply --server-side --force-conflicts -f -", widget("one", { size: 3 }))).toBe(
      "widget.stable.example.com/one serverside-applied\n",
    );
    expect(kept.get("default/one")).toMatchObject({ spec: { size: 3 } });
    expect(await kubectl.ok("apply -f -", widget("two", { size: 4 }))).toBe("widget.stable.example.com/two created\n");
    expect(await kubectl.ok("apply -f -", widget("two", { size: 4 }))).toBe(
      "widget.stable.example.com/two unchanged\n",
    );
    expect(await kubectl.ok("apply -f -", widget("two", { size: 5 }))).toBe(
      "widget.stable.example.com/two configured\n",
    );
    await kubectl.ok("label widgets.stable.example.com two kind=second");
    expect(await kubectl.ok("get widgets.stable.example.com -l kind=second -o name")).toBe(
      "widget.stable.example.com/two\n",
    );
    expect(await kubectl.ok("delete widgets.stable.example.com --all")).toContain('"two" deleted');
    expect(kept.size).toBe(0);
  });

  test("A-CAP-06: waits with delete until the code removes the object, and the code receives the grace period", async () => {
    await kubectl.ok("create -f -", widget("slow", { size: 1 }));
    graces.length = 0;
    let output = "";
    const deleting = kubectl.start("delete widgets.stable.example.com slow --grace-period=40");
    deleting.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
    const ended = new Promise((resolve) => void deleting.once("close", resolve));
    await eventually(() => expect(output).toContain('"slow" deleted'));
    expect(await kubectl.ok("get widgets.stable.example.com slow -o jsonpath={.metadata.deletionTimestamp}")).not.toBe(
      "",
    );
    expect([graces, deleting.exitCode]).toEqual([[40], null]);
    kept.delete("default/slow");
    expect(await ended).toBe(0);
  });

  test("A-CAP-06: asks with delete --force for the immediate end", async () => {
    await kubectl.ok("create -f -", widget("forced", { size: 1 }));
    graces.length = 0;
    await kubectl.ok("delete widgets.stable.example.com forced --force --grace-period=0");
    expect([graces, kept.size]).toEqual([[0], 0]);
  });

  test("deletes one with its namespace, and one with its owner", async () => {
    await kubectl.ok("create namespace short");
    await kubectl.ok("create -f -", widget("inside", { size: 1 }, "short"));
    await kubectl.ok("delete namespace short");
    expect(kept.size).toBe(0);
    await kubectl.ok("create configmap owner");
    const uid = await kubectl.ok("get configmap owner -o jsonpath={.metadata.uid}");
    const owned = JSON.parse(widget("owned", { size: 1 })) as KubeObject;
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
    owned.metadata = { ...owned.metadata, ownerReferences };
    await kubectl.ok("create -f -", JSON.stringify(owned));
    await kubectl.ok("delete configmap owner");
    await eventually(() => expect(kept.size).toBe(0));
  });

  test("still reads others when one such resource fails, and a namespace's deletion waits until that is known to be empty", async () => {
    await kubectl.ok("create namespace doubtful");
    fault = new Error("out of reach");
    try {
      expect((await kubectl.run("get widgets.broken.example.com")).stderr).toContain(
        "Internal error occurred: list of widgets.broken.example.com: out of reach",
      );
      expect(reported).toContain("list of widgets.broken.example.com: out of reach");
      expect(await kubectl.ok("api-resources --api-group=broken.example.com -o name")).toBe(
        "widgets.broken.example.com\n",
      );
      await kubectl.ok("create -f -", widget("well", { size: 1 }));
      await kubectl.ok("create configmap owner");
      const uid = await kubectl.ok("get configmap owner -o jsonpath={.metadata.uid}");
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "owned", ownerReferences } };
      await kubectl.ok("create -f -", JSON.stringify(secret));
      await kubectl.ok("delete configmap owner");
      await eventually(async () => expect((await kubectl.run("get secret owned")).stderr).toContain("NotFound"));
      await kubectl.ok("create configmap inside -n doubtful");
      await kubectl.ok("delete namespace doubtful --wait=false");
      const failure = () =>
        kubectl.ok([
          "get",
          "namespace",
          "doubtful",
          "-o",
          'jsonpath={.status.conditions[?(@.type=="NamespaceDeletionContentFailure")].message}',
        ]);
      await eventually(async () => expect(await failure()).toContain("out of reach"));
      expect((await kubectl.run("get configmap inside -n doubtful")).stderr).toContain("NotFound");
    } finally {
      fault = undefined;
    }
    await kubectl.ok("wait --for=delete namespace/doubtful --timeout=120s");
    await kubectl.ok("delete widgets.stable.example.com --all");
  });
});
