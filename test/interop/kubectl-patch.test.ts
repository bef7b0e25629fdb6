import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { fieldOwners } from "../helpers/field-owners.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl interop is skipped: ${missing}\n`);

type Type = "json" | "merge" | "strategic";

describe.skipIf(missing !== undefined)("kubectl 1.37.1 patch", () => {
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await startCluster({ ...quietCluster });
    kubectl = await realKubectl(cluster);
    for (const name of ["lists", "refused", "parts"]) {
      await kubectl.ok(`create deployment ${name} --image=nginx:1 --port=80`);
    }
    await kubectl.ok("create configmap map --from-literal=a=1");
    await kubectl.ok("create secret generic secret --from-literal=a=1");
    await kubectl.ok("create service clusterip service --tcp=80");
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster.close();
  });

  const run = (what: string, type: Type, patch: unknown) =>
    kubectl.run(["patch", ...what.split(" "), `--type=${type}`, "-p", JSON.stringify(patch)]);
  const patched = (name: string) => ({ code: 0, stdout: `${name} patched\n`, stderr: "" });
  const get = async (what: string) =>
    JSON.parse(await kubectl.ok(`get ${what} -o json --show-managed-fields`)) as KubeObject;
  const inTemplate = (spec: object) => ({ spec: { template: { spec } } });
  const containers = async () =>
    kubectl.ok("get deployment lists -o jsonpath={.spec.template.spec.containers[*].name}");

  test("strategic merges a list by its key, and deletes and replaces items by directives", async () => {
    const side = { name: "side", image: "side:1" };
    const add = inTemplate({ containers: [side] });
    expect(await run("deployment lists", "strategic", add)).toEqual(patched("deployment.apps/lists"));
    expect(await containers()).toBe("side nginx");
    expect(await run("deployment lists", "strategic", add)).toEqual({
      code: 0,
      stdout: "deployment.apps/lists patched (no change)\n",
      stderr: "",
    });
    expect((await get("deployment lists")).metadata?.generation).toBe(2);
    const order = [{ name: "nginx" }, { name: "side" }];
    await run("deployment lists", "strategic", inTemplate({ "$setElementOrder/containers": order }));
    expect(await containers()).toBe("nginx side");
    const remove = inTemplate({ containers: [{ name: "nginx", $patch: "delete" }] });
    await run("deployment lists", "strategic", remove);
    expect(await containers()).toBe("side");
    await run("deployment lists", "strategic", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } });
    expect(await get("deployment lists")).toHaveProperty("spec.strategy", { type: "Recreate" });
    const replace = inTemplate({ containers: [{ $patch: "replace" }, { name: "new", image: "new:1" }] });
    await run("deployment lists", "strategic", replace);
    expect(await containers()).toBe("new");
  });

  test("merge replaces a list, and null removes a field", async () => {
    await run("deployment lists", "merge", inTemplate({ containers: [{ name: "only", image: "o:1" }] }));
    expect(await containers()).toBe("only");
    await run("deployment lists", "merge", { metadata: { labels: { app: null } }, spec: { replicas: null } });
    const { metadata, spec } = await get("deployment lists");
    expect([metadata?.labels, (spec as { replicas: number }).replicas]).toEqual([undefined, 1]);
  });

  test("json tests, replaces, adds, removes, copies and moves", async () => {
    const operations = [
      { op: "test", path: "/data/a", value: "1" },
      { op: "replace", path: "/data/a", value: "2" },
      { op: "add", path: "/metadata/labels", value: { "example.com/x": "y" } },
      { op: "add", path: "/metadata/labels/example.com~1z", value: "z" },
      { op: "copy", from: "/data/a", path: "/data/b" },
      { op: "move", from: "/data/b", path: "/data/c" },
      { op: "remove", path: "/metadata/labels/example.com~1x" },
    ];
    expect(await run("configmap map", "json", operations)).toEqual(patched("configmap/map"));
    const map = await get("configmap map");
    expect([map.metadata?.labels, map["data"]]).toEqual([{ "example.com/z": "z" }, { a: "2", c: "2" }]);
    expect(fieldOwners(map)).toEqual([
      'Update kubectl-create {"f:data":{}}',
      'Update kubectl-patch {"f:data":{"f:a":{},"f:c":{}},"f:metadata":{"f:labels":{".":{},"f:example.com/z":{}}}}',
    ]);
  });

  describe("is refused for", () => {
    const json = "The request is invalid: the server rejected our request due to an error in our request\n";
    const rows: readonly { name: string; what?: string; type: Type; patch: unknown; says: string }[] = [
      {
        name: "a test that fails",
        type: "json",
        patch: [{ op: "test", path: "/spec/replicas", value: 9 }],
        says: json,
      },
      {
        name: "removing what is not there",
        type: "json",
        patch: [{ op: "remove", path: "/metadata/nope" }],
        says: json,
      },
      { name: "an operation nobody knows", type: "json", patch: [{ op: "frob", path: "/spec" }], says: json },
      {
        name: "an object for a list of operations",
        type: "json",
        patch: { a: 1 },
        says: "Error from server (BadRequest): error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp\n",
      },
      {
        name: "a list for an object",
        type: "merge",
        patch: [1],
        says: "Error from server (BadRequest): error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}\n",
      },
      {
        name: "a value of the wrong type, strategic",
        type: "strategic",
        patch: { spec: { replicas: "x" } },
        says: 'The request is invalid: patch: Invalid value: "map[spec:map[replicas:x]]": unrecognized type: int32\n',
      },
      {
        name: "a value that is not valid",
        type: "strategic",
        patch: { spec: { replicas: -1 } },
        says: 'The Deployment "refused" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0\n',
      },
      {
        name: "a field that never changes",
        type: "strategic",
        patch: { spec: { selector: { matchLabels: { app: "other" } } } },
        says: 'The Deployment "refused" is invalid: \n* spec.template.metadata.labels: Invalid value: {"app":"refused"}: `selector` does not match template `labels`\n* spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable\n',
      },
      {
        name: "a resourceVersion that is no longer",
        type: "merge",
        patch: { metadata: { resourceVersion: "1" } },
        says: 'Error from server (Conflict): Operation cannot be fulfilled on deployments.apps "refused": the object has been modified; please apply your changes to the latest version and try again\n',
      },
      {
        name: "another name",
        type: "merge",
        patch: { metadata: { name: "other" } },
        says: "Error from server (BadRequest): the name of the object (other) does not match the name on the URL (refused)\n",
      },
      {
        name: "another uid",
        type: "merge",
        patch: { metadata: { uid: "other" } },
        says: 'The Deployment "refused" is invalid: metadata.uid: Invalid value: "other": field is immutable\n',
      },
      {
        name: "an object that is not there",
        what: "deployment nope",
        type: "merge",
        patch: { metadata: { labels: { a: "b" } } },
        says: 'Error from server (NotFound): deployments.apps "nope" not found\n',
      },
      {
        name: "a part that the kind does not have",
        what: "configmap map --subresource=status",
        type: "merge",
        patch: { data: {} },
        says: "Error from server (NotFound): the server could not find the requested resource\n",
      },
      {
        name: "a secret's type",
        what: "secret secret",
        type: "merge",
        patch: { type: "other" },
        says: 'The Secret "secret" is invalid: type: Invalid value: "other": field is immutable\n',
      },
      {
        name: "fewer replicas than none, by scale",
        what: "deployment refused --subresource=scale",
        type: "merge",
        patch: { spec: { replicas: -5 } },
        says: 'The Scale "refused" is invalid: spec.replicas: Invalid value: -5: must be greater than or equal to 0\n',
      },
    ];
    test.each(rows)("$name", async ({ what = "deployment refused", type, patch, says }) => {
      expect(await run(what, type, patch)).toEqual({ code: 1, stdout: "", stderr: says });
    });

    test("all of the above without changing the object", async () => {
      expect((await get("deployment refused")).metadata?.generation).toBe(1);
    });
  });

  test("an unknown field is only a warning, because patch sends no strict validation", async () => {
    for (const type of ["merge", "strategic"] as const) {
      expect(await run("deployment refused", type, { spec: { replicaz: 1 } })).toEqual({
        code: 0,
        stdout: "deployment.apps/refused patched (no change)\n",
        stderr: 'Warning: unknown field "spec.replicaz"\n',
      });
    }
  });

  test("--subresource=status changes the status by each patch type, and nothing else", async () => {
    const what = "deployment parts --subresource=status";
    const condition = (type: string) => ({
      type,
      status: "True",
      lastUpdateTime: "2020-01-01T00:00:00Z",
      lastTransitionTime: "2020-01-01T00:00:00Z",
    });
    const merge = { spec: { replicas: 44 }, status: { replicas: 2, conditions: [condition("Available")] } };
    expect(await run(what, "merge", merge)).toEqual(patched("deployment.apps/parts"));
    await run(what, "strategic", { status: { conditions: [condition("Progressing")] } });
    await run(what, "json", [{ op: "add", path: "/status/readyReplicas", value: 1 }]);
    const parts = await get("deployment parts");
    expect(parts).toMatchObject({
      metadata: { generation: 1 },
      spec: { replicas: 1 },
      status: { replicas: 2, readyReplicas: 1, conditions: [condition("Progressing"), condition("Available")] },
    });
    const fields = { ".": {}, "f:lastTransitionTime": {}, "f:lastUpdateTime": {}, "f:status": {}, "f:type": {} };
    const conditions = { ".": {}, 'k:{"type":"Available"}': fields, 'k:{"type":"Progressing"}': fields };
    expect(fieldOwners(parts)).toContain(
      `Update kubectl-patch/status ${JSON.stringify({
        "f:status": { "f:conditions": conditions, "f:readyReplicas": {}, "f:replicas": {} },
      })}`,
    );
  });

  test("--subresource=scale changes the scale by each patch type, and prints the Scale", async () => {
    const what = "deployment parts --subresource=scale";
    const replicas = () => kubectl.ok("get deployment parts -o jsonpath={.spec.replicas}");
    expect(await run(what, "merge", { spec: { replicas: 5 } })).toEqual(patched("scale.autoscaling/parts"));
    expect(await replicas()).toBe("5");
    expect(await run(what, "strategic", { spec: { replicas: 6 } })).toEqual(patched("scale.autoscaling/parts"));
    await run(what, "json", [{ op: "replace", path: "/spec/replicas", value: 7 }]);
    expect(await replicas()).toBe("7");
    const { stdout } = await run(`${what} -o json`, "merge", { spec: { replicas: 8 } });
    expect(JSON.parse(stdout)).toMatchObject({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "parts", namespace: "default" },
      spec: { replicas: 8 },
      status: { selector: "app=parts" },
    });
    expect(fieldOwners(await get("deployment parts"))).toContain(
      'Update kubectl-patch/scale {"f:spec":{"f:replicas":{}}}',
    );
  });

  test("--patch-file reads YAML and JSON, and -f names the object", async () => {
    await writeFile(join(kubectl.folder, "patch.yaml"), 'data:\n  file: "2"\n');
    await writeFile(join(kubectl.folder, "map.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\n");
    expect(await kubectl.run("patch configmap map --patch-file patch.yaml")).toEqual(patched("configmap/map"));
    expect(await kubectl.ok("patch -f map.yaml --patch-file patch.yaml")).toBe("configmap/map patched\n");
    expect(
      await kubectl.ok([
        "patch",
        "-f",
        "map.yaml",
        "--type=merge",
        "-p",
        "data: {file: null}",
        "-o",
        "jsonpath={.data}",
      ]),
    ).toBe('{"a":"2","c":"2"}');
    const dry = await kubectl.ok([
      "patch",
      "cm",
      "map",
      "--dry-run=server",
      "-p",
      '{"data":{"z":"1"}}',
      "-o",
      "jsonpath={.data.z}",
    ]);
    expect([dry, await kubectl.ok("get cm map -o jsonpath={.data.z}")]).toEqual(["1", ""]);
  });

  test("kinds apply their rules to a patch: stringData becomes data, ports keep their place, immutable objects stay", async () => {
    await run("secret secret", "strategic", { stringData: { b: "2" } });
    expect(await kubectl.ok("get secret secret -o jsonpath={.data}")).toBe('{"a":"MQ==","b":"Mg=="}');
    await run("service service", "strategic", { spec: { ports: [{ port: 81, name: "more" }] } });
    expect(await kubectl.ok("get service service -o jsonpath={.spec.ports[*].port}")).toBe("81 80");
    expect((await run("service service", "merge", { spec: { clusterIP: "10.96.0.99" } })).stderr).toBe(
      'The Service "service" is invalid: spec.clusterIPs[0]: Invalid value: ["10.96.0.99"]: may not change once set\n',
    );
    await kubectl.ok("create configmap frozen --from-literal=a=1");
    expect(await run("configmap frozen", "merge", { immutable: true })).toEqual(patched("configmap/frozen"));
    expect((await run("configmap frozen", "merge", { data: { b: "1" } })).stderr).toBe(
      'The ConfigMap "frozen" is invalid: data: Forbidden: field is immutable when `immutable` is set\n',
    );
    expect((await run("configmap frozen", "merge", { immutable: null })).stderr).toBe(
      'The ConfigMap "frozen" is invalid: immutable: Forbidden: field is immutable when `immutable` is set\n',
    );
  });
});
