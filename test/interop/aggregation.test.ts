import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { int32, type RunningServer, startServer, string, struct } from "../../src/cluster/server.js";
import { certificateOf, registerApi, untilAvailable } from "../helpers/aggregated-backend.js";
import { eventually } from "../helpers/eventually.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const tool = realTool("kubectl");
if (tool.missing !== undefined) process.stdout.write(`kubectl through the aggregator is skipped: ${tool.missing}\n`);

const GROUP = "gadgets.example.com";

const gadgets = {
  group: GROUP,
  resource: "gadgets",
  kind: "Gadget",
  namespaced: true,
  shortNames: ["gd"],
  categories: ["all"],
  versions: [
    {
      version: "v1",
      schema: struct("Gadget", {
        spec: struct("GadgetSpec", { color: string, replicas: int32 }),
        status: struct("GadgetStatus", { phase: string }),
      }),
      subresources: [{ name: "status" }, { name: "scale" }],
    },
  ],
};

const gadget = (name: string, spec: object): string =>
  JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: "Gadget", metadata: { name }, spec });

describe.skipIf(tool.missing !== undefined)("kubectl on a server with an extension server behind it", () => {
  let folder: string;
  let main: Cluster;
  let server: RunningServer;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubets-aggregation-"));
    main = await startCluster({ ...quietCluster, port: 0 });
    const { certificate, key } = certificateOf(GROUP);
    const files = { "main.conf": main.kubeconfig(), "tls.crt": certificate, "tls.key": key };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const kubeconfig = join(folder, "main.conf");
    server = await startServer({
      resources: [gadgets],
      tls: { certificate: { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") } },
      authentication: { delegated: { kubeconfig } },
      authorization: { delegated: { kubeconfig } },
    });
    await registerApi(main.transport(), { group: GROUP, port: Number(new URL(server.url).port) });
    await untilAvailable(main.transport(), GROUP);
    kubectl = await realKubectl(main);
  });

  afterAll(async () => {
    await kubectl[Symbol.asyncDispose]();
    await server.close();
    await main.close();
    await rm(folder, { recursive: true });
  });

  test("A-APS-01, AGG-1: lists the APIService as available, with its service", async () => {
    expect(await kubectl.ok(`get apiservices v1.${GROUP} --no-headers`)).toMatch(
      /^v1\.gadgets\.example\.com {3}default\/gadgets {3}True {3}/,
    );
  });

  test("A-AGG-04: lists the extension server's kinds in api-resources beside the built-in ones", async () => {
    await eventually(async () =>
      expect(await kubectl.ok(`api-resources --api-group=${GROUP} --no-headers --cached=false`)).toMatch(
        /^gadgets +gd +gadgets\.example\.com\/v1 +true +Gadget\n$/,
      ),
    );
  });

  test("AA-2: applies, patches, scales, waits for, edits and deletes its objects", async () => {
    expect((await kubectl.run("apply -f -", gadget("one", { color: "red" }))).stdout).toBe(
      "gadget.gadgets.example.com/one created\n",
    );
    expect((await kubectl.run("apply -f -", gadget("one", { color: "blue", replicas: 1 }))).stdout).toBe(
      "gadget.gadgets.example.com/one configured\n",
    );
    expect((await kubectl.run("apply --server-side -f -", gadget("two", { color: "green" }))).stdout).toBe(
      "gadget.gadgets.example.com/two serverside-applied\n",
    );
    expect(await kubectl.ok("scale gadget one --replicas=3")).toBe("gadget.gadgets.example.com/one scaled\n");
    expect(await kubectl.ok(["get", "gd", "one", "-o", "jsonpath={.spec}"])).toBe('{"color":"blue","replicas":3}');
    const patch = (type: string, body: string) => kubectl.ok(["patch", "gd", "one", `--type=${type}`, "-p", body]);
    await patch("strategic", '{"spec":{"color":"white"}}');
    await patch("json", '[{"op":"test","path":"/spec/color","value":"white"},{"op":"remove","path":"/spec/color"}]');
    expect(await kubectl.ok(["get", "gd", "one", "-o", "jsonpath={.spec}"])).toBe('{"replicas":3}');
    const status = ["patch", "gd", "one", "--subresource=status", "--type=merge", "-p", '{"status":{"phase":"Done"}}'];
    expect(await kubectl.ok(status)).toBe("gadget.gadgets.example.com/one patched\n");
    expect(await kubectl.ok("wait gd/one --for=jsonpath={.status.phase}=Done --timeout=30s")).toBe(
      "gadget.gadgets.example.com/one condition met\n",
    );
    expect(await kubectl.ok("get all -o name")).toContain("gadget.gadgets.example.com/two\n");
    expect(await kubectl.ok("delete gd --all")).toContain(
      'gadget.gadgets.example.com "two" deleted from default namespace\n',
    );
  });

  test("prints the extension server's error about a wrong field", async () => {
    const wrong = await kubectl.run("create -f -", gadget("wrong", { colour: "red" }));
    expect(wrong.stderr).toContain('strict decoding error: unknown field "spec.colour"');
  });

  test("A-APS-08: takes a resource name that two groups have for the group of the higher priority", async () => {
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "gadgets.another.example.com" },
      spec: {
        group: "another.example.com",
        scope: "Namespaced",
        names: { kind: "Gadget", plural: "gadgets" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    };
    await kubectl.ok("create -f -", JSON.stringify(definition));
    await kubectl.ok("wait crd/gadgets.another.example.com --for=condition=Established");
    await kubectl.ok("create -f -", gadget("ours", {}));
    const other = JSON.stringify({
      apiVersion: "another.example.com/v1",
      kind: "Gadget",
      metadata: { name: "theirs" },
    });
    await eventually(() => kubectl.ok("create -f -", other));
    let caches = 0;
    const means = (group: string, name: string) =>
      eventually(async () =>
        expect(await kubectl.ok(`get gadgets -o name --cache-dir=cache-${++caches}`)).toBe(`gadget.${group}/${name}\n`),
      );
    await means("another.example.com", "theirs");
    await kubectl.ok([
      "patch",
      "apiservice",
      `v1.${GROUP}`,
      "-p",
      '{"spec":{"groupPriorityMinimum":2000}}',
      "--type=merge",
    ]);
    await means(GROUP, "ours");
    await kubectl.ok("delete crd gadgets.another.example.com");
    await kubectl.ok(`delete gadgets.${GROUP} ours`);
  });

  test("explains its fields by the extension server's OpenAPI", async () => {
    await eventually(async () =>
      expect(await kubectl.ok("explain gadgets.spec.replicas")).toContain("FIELD: replicas <integer>"),
    );
    expect(await kubectl.ok("explain pods.spec.nodeName")).toContain("FIELD: nodeName <string>");
  });

  test("deletes its objects with their namespace", async () => {
    await kubectl.ok("create namespace brief");
    await kubectl.run("create -n brief -f -", gadget("short", {}));
    expect(await kubectl.ok("delete namespace brief")).toBe('namespace "brief" deleted\n');
    expect(await kubectl.ok("get gadgets -A --no-headers")).toBe("");
  });

  test("reports the extension server unavailable when it stops, and other groups still answer", async () => {
    await server.close();
    await kubectl.ok("label service gadgets gone=yes");
    await eventually(async () =>
      expect(await kubectl.ok(`get apiservices v1.${GROUP} --no-headers`)).toContain("False (FailedDiscoveryCheck)"),
    );
    const gone = await kubectl.run("get gadgets");
    expect([gone.code, gone.stderr]).toEqual([
      1,
      expect.stringMatching(
        /the server is currently unable to handle the request|stale GroupVersion discovery|couldn't get/,
      ),
    ]);
    expect(await kubectl.ok("get namespaces -o name")).toContain("namespace/default\n");
  });
});
