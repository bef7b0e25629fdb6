import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { fieldOwners } from "../helpers/field-owners.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl interop is skipped: ${missing}\n`);

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const SERVER_SIDE = "apply --server-side -f -";

/** What kubectl says behind every conflict. */
const ADVICE = `Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
`;

const map = (name: string, data: Readonly<Record<string, string>>, more: object = {}) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data, ...more });

function deployment(name: string, spec: object = {}, container: object = {}): string {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1", ...container }] } };
  const selector = { matchLabels: labels };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { selector, template, ...spec },
  });
}

/** The fields of {@link deployment}, as an applier owns them, with more of the spec and of the container. */
const appliedFields = (spec: object = {}, container: object = { "f:image": {} }) =>
  JSON.stringify({
    "f:spec": {
      ...spec,
      "f:selector": {},
      "f:template": {
        "f:metadata": { "f:labels": { "f:app": {} } },
        "f:spec": { "f:containers": { 'k:{"name":"web"}': { ".": {}, ...container, "f:name": {} } } },
      },
    },
  });

describe.skipIf(missing !== undefined)("kubectl 1.37.1 apply --server-side", () => {
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

  const get = async (what: string) =>
    JSON.parse(await kubectl.ok(`get ${what} -o json --show-managed-fields`)) as KubeObject;
  const owners = async (what: string) => fieldOwners(await get(what));
  const data = async (name: string) => ((await get(`cm ${name}`)) as { data?: object }).data;
  const failure = (stderr: string) => ({ code: 1, stdout: "", stderr });

  test("creates an object, and writes nothing when it is applied again", async () => {
    expect(await kubectl.ok(SERVER_SIDE, map("made", { a: "1" }))).toBe("configmap/made serverside-applied\n");
    const made = await get("cm made");
    expect(fieldOwners(made)).toEqual(['Apply kubectl {"f:data":{"f:a":{}}}']);
    expect(made.metadata?.annotations).toBeUndefined();
    expect(await kubectl.ok(SERVER_SIDE, map("made", { a: "1" }))).toBe("configmap/made serverside-applied\n");
    expect(await get("cm made")).toEqual(made);
    expect(await kubectl.ok(`${SERVER_SIDE} --dry-run=server`, map("made", { a: "2" }))).toBe(
      "configmap/made serverside-applied (server dry run)\n",
    );
    expect(await get("cm made")).toEqual(made);
  });

  test("removes a field when the last manager that applied it leaves it out", async () => {
    const two = `${SERVER_SIDE} --field-manager=two`;
    await kubectl.ok(SERVER_SIDE, map("shared", { a: "1", b: "1" }));
    await kubectl.ok(two, map("shared", { a: "1", c: "1" }));
    expect(await owners("cm shared")).toEqual([
      'Apply kubectl {"f:data":{"f:a":{},"f:b":{}}}',
      'Apply two {"f:data":{"f:a":{},"f:c":{}}}',
    ]);
    await kubectl.ok(SERVER_SIDE, map("shared", { b: "1" }));
    expect(await data("shared")).toEqual({ a: "1", b: "1", c: "1" });
    await kubectl.ok(two, map("shared", { c: "1" }));
    expect(await data("shared")).toEqual({ b: "1", c: "1" });
  });

  test("reports conflicts with every manager and field; --force-conflicts takes the fields over", async () => {
    await kubectl.ok(SERVER_SIDE, map("fought", { a: "1", b: "1" }));
    await kubectl.ok(`${SERVER_SIDE} --field-manager=two`, map("fought", { c: "1" }));
    const three = `${SERVER_SIDE} --field-manager=three`;
    expect(await kubectl.run(three, map("fought", { a: "2" }))).toEqual(
      failure(`error: Apply failed with 1 conflict: conflict with "kubectl": .data.a\n${ADVICE}`),
    );
    expect(await kubectl.run(three, map("fought", { a: "2", b: "2", c: "2" }))).toEqual(
      failure(
        `error: Apply failed with 3 conflicts: conflicts with "kubectl":\n- .data.a\n- .data.b\nconflicts with "two":\n- .data.c\n${ADVICE}`,
      ),
    );
    expect(await data("fought")).toEqual({ a: "1", b: "1", c: "1" });
    expect(await kubectl.ok(`${three} --force-conflicts`, map("fought", { a: "2", c: "2" }))).toBe(
      "configmap/fought serverside-applied\n",
    );
    expect(await data("fought")).toEqual({ a: "2", b: "1", c: "2" });
    expect(await owners("cm fought")).toEqual([
      'Apply kubectl {"f:data":{"f:b":{}}}',
      'Apply three {"f:data":{"f:a":{},"f:c":{}}}',
    ]);
  });

  test("conflicts over replicas with the manager that scaled", async () => {
    await kubectl.ok(SERVER_SIDE, deployment("scaled", { replicas: 2 }));
    await kubectl.ok("scale deployment scaled --replicas=5");
    expect(await owners("deployment scaled")).toEqual([
      `Apply kubectl ${appliedFields()}`,
      'Update kubectl/scale {"f:spec":{"f:replicas":{}}}',
    ]);
    expect(await kubectl.run(SERVER_SIDE, deployment("scaled", { replicas: 2 }))).toEqual(
      failure(
        `error: Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas\n${ADVICE}`,
      ),
    );
    // Left out, it is whose it was.
    await kubectl.ok(SERVER_SIDE, deployment("scaled"));
    expect(await kubectl.ok("get deployment scaled -o jsonpath={.spec.replicas}")).toBe("5");
  });

  describe("of an object that was applied or created before", () => {
    test("client-side: kubectl owns what it applied, and a field left out is removed", async () => {
      await kubectl.ok("apply -f -", deployment("moved", { replicas: 2, minReadySeconds: 5 }));
      expect((await owners("deployment moved")).map((entry) => entry.split(" ", 2).join(" "))).toEqual([
        "Update kubectl-client-side-apply",
      ]);
      expect(await kubectl.run(SERVER_SIDE, deployment("moved", { replicas: 2 }))).toEqual({
        code: 0,
        stdout: "deployment.apps/moved serverside-applied\n",
        stderr: "",
      });
      const moved = await get("deployment moved");
      expect(fieldOwners(moved)).toEqual([
        `Apply kubectl ${appliedFields({ "f:replicas": {} })}`,
        `Apply kubectl-last-applied {"f:metadata":{"f:annotations":{"f:${LAST_APPLIED}":{}}}}`,
      ]);
      expect(moved["spec"]).not.toHaveProperty("minReadySeconds");
      const annotation = JSON.parse(moved.metadata?.annotations?.[LAST_APPLIED] ?? "") as object;
      // The server keeps the annotation as kubectl last applied, whichever way.
      expect(annotation).toHaveProperty("spec.replicas", 2);
      expect(annotation).not.toHaveProperty("spec.minReadySeconds");
    });

    test("server-side, by client-side apply: takes over the fields that it changes", async () => {
      await kubectl.ok("apply -f -", deployment("back"));
      await kubectl.ok(SERVER_SIDE, deployment("back"));
      expect(await kubectl.ok("apply -f -", deployment("back", {}, { image: "nginx:2" }))).toBe(
        "deployment.apps/back configured\n",
      );
      expect(await owners("deployment back")).toEqual([
        `Apply kubectl ${appliedFields({}, {})}`,
        `Update kubectl-client-side-apply ${JSON.stringify({
          "f:metadata": { "f:annotations": { [`f:${LAST_APPLIED}`]: {} } },
          "f:spec": { "f:template": { "f:spec": { "f:containers": { 'k:{"name":"web"}': { "f:image": {} } } } } },
        })}`,
      ]);
    });

    test("by another manager: conflicts where it differs, shared ownership where it does not", async () => {
      await kubectl.ok("create -f -", map("created", { a: "1", b: "1" }));
      expect(await kubectl.run(SERVER_SIDE, map("created", { a: "2" }))).toEqual(
        failure(`error: Apply failed with 1 conflict: conflict with "kubectl-create" using v1: .data.a\n${ADVICE}`),
      );
      await kubectl.ok(SERVER_SIDE, map("created", { a: "1" }));
      expect(await owners("cm created")).toEqual([
        'Apply kubectl {"f:data":{"f:a":{}}}',
        'Update kubectl-create {"f:data":{".":{},"f:a":{},"f:b":{}}}',
      ]);
    });

    test("never applied, by client-side apply: warns that the annotation is missing", async () => {
      await kubectl.ok("create -f -", map("plain", { a: "1" }));
      expect(await kubectl.run("apply -f -", map("plain", { a: "1" }))).toEqual({
        code: 0,
        stdout: "configmap/plain configured\n",
        stderr: `Warning: resource configmaps/plain is missing the ${LAST_APPLIED} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.\n`,
      });
      expect(await owners("cm plain")).toEqual([
        `Update kubectl-client-side-apply {"f:metadata":{"f:annotations":{".":{},"f:${LAST_APPLIED}":{}}}}`,
        'Update kubectl-create {"f:data":{".":{},"f:a":{}}}',
      ]);
    });
  });

  describe("of lists with named items", () => {
    const env = (...names: readonly string[]) => ({ env: names.map((name) => ({ name, value: name })) });
    const envOf = async (name: string) =>
      (await kubectl.ok(`get deployment ${name} -o jsonpath={.spec.template.spec.containers[0].env[*].name}`)).split(
        " ",
      );

    test("lets each manager own its items, merged by name", async () => {
      await kubectl.ok(SERVER_SIDE, deployment("items", {}, env("A", "B")));
      const side = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "items" } };
      const containers = [{ name: "web", ...env("C") }];
      const more = JSON.stringify({ ...side, spec: { template: { spec: { containers } } } });
      await kubectl.ok(`${SERVER_SIDE} --field-manager=side`, more);
      expect(await envOf("items")).toEqual(["A", "B", "C"]);
      await kubectl.ok(SERVER_SIDE, deployment("items", {}, env("B")));
      expect(await envOf("items")).toEqual(["B", "C"]);
    });

    test("refuses an item given twice, also when the stored object has it twice", async () => {
      const twice = deployment(
        "twice",
        {},
        { ...env("A", "A"), ports: [{ containerPort: 80 }, { containerPort: 80 }] },
      );
      const refusal = failure(
        'Error from server: failed to create typed patch object (default/twice; apps/v1, Kind=Deployment): errors:\n  .spec.template.spec.containers[name="web"].env: duplicate entries for key [name="A"]\n  .spec.template.spec.containers[name="web"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]\n',
      );
      expect(await kubectl.run(SERVER_SIDE, twice)).toEqual(refusal);
      expect(await kubectl.run("apply -f -", twice)).toEqual({
        code: 0,
        stdout: "deployment.apps/twice created\n",
        stderr:
          'Warning: spec.template.spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply\nWarning: spec.template.spec.containers[0].ports[1]: duplicate port definition with spec.template.spec.containers[0].ports[0]\n',
      });
      expect(await kubectl.run(SERVER_SIDE, twice)).toEqual(refusal);
      await kubectl.ok(SERVER_SIDE, deployment("twice"));
      expect(await envOf("twice")).toEqual([""]);
    });
  });

  describe("is refused for", () => {
    const rows: readonly { name: string; argv: string; body: string; says: string }[] = [
      {
        name: "a field that the kind does not have, whatever --validate says",
        argv: `${SERVER_SIDE} --validate=ignore`,
        body: map("wrong", {}, { foo: "bar" }),
        says: "Error from server: failed to create typed patch object (default/wrong; /v1, Kind=ConfigMap): .foo: field not declared in schema\n",
      },
      {
        name: "managed fields",
        argv: SERVER_SIDE,
        body: JSON.stringify({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "wrong", managedFields: [{ manager: "me", operation: "Apply" }] },
        }),
        says: "Error from server (BadRequest): metadata.managedFields must be nil\n",
      },
      {
        name: "nobody's",
        argv: `${SERVER_SIDE} --field-manager=`,
        body: map("wrong", {}),
        says: 'The PatchOptions "" is invalid: fieldManager: Required value: is required for apply patch\n',
      },
      {
        name: "a value the kind does not take",
        argv: SERVER_SIDE,
        body: deployment("wrong", { replicas: -1 }),
        says: 'The Deployment "wrong" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0\n',
      },
      {
        name: "a part of an object that is not there",
        argv: `${SERVER_SIDE} --subresource=status`,
        body: deployment("nobody"),
        says: 'Error from server (NotFound): deployments.apps "nobody" not found\n',
      },
      {
        name: "a namespace that is not there",
        argv: `${SERVER_SIDE} -n nowhere`,
        body: map("wrong", {}),
        says: 'Error from server (NotFound): namespaces "nowhere" not found\n',
      },
    ];
    test.each(rows)("$name", async ({ argv, body, says }) => {
      expect(await kubectl.run(argv, body)).toEqual(failure(says));
    });
  });

  test("--subresource=status changes the status alone, with an owner of its own", async () => {
    await kubectl.ok(SERVER_SIDE, deployment("stated", { replicas: 2 }));
    const status = JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "stated" },
      spec: { replicas: 77 },
      status: { replicas: 4, observedGeneration: 3 },
    });
    expect(await kubectl.ok(`${SERVER_SIDE} --subresource=status --field-manager=controller`, status)).toBe(
      "deployment.apps/stated serverside-applied\n",
    );
    const stated = await get("deployment stated");
    expect(stated).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 2 } });
    expect(stated["status"]).toEqual({ replicas: 4, observedGeneration: 3 });
    expect(fieldOwners(stated)).toEqual([
      'Apply controller/status {"f:status":{"f:observedGeneration":{},"f:replicas":{}}}',
      `Apply kubectl ${appliedFields({ "f:replicas": {} })}`,
    ]);
  });

  test("warns for an object that is being deleted", async () => {
    const held = JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "held", finalizers: ["example.com/hold"] },
    });
    await kubectl.ok(SERVER_SIDE, held);
    await kubectl.ok("delete cm held --wait=false");
    expect(await kubectl.run(SERVER_SIDE, held)).toEqual({
      code: 0,
      stdout: "configmap/held serverside-applied\n",
      stderr: "Warning: Detected changes to resource held which is currently being deleted.\n",
    });
    // Who applied the finalizer takes it away by leaving it out, and the object goes.
    await kubectl.run(SERVER_SIDE, map("held", {}));
    expect((await kubectl.run("get cm held")).code).toBe(1);
  });

  test("and set-last-applied writes the annotation that view-last-applied reads", async () => {
    await kubectl.ok("apply -f -", map("last", { a: "1" }));
    expect(await kubectl.ok("apply set-last-applied -f -", map("last", { a: "2" }))).toBe(
      "configmap/last configured\n",
    );
    expect(await kubectl.ok("apply view-last-applied cm/last -o yaml")).toBe(
      'apiVersion: v1\ndata:\n  a: "2"\nkind: ConfigMap\nmetadata:\n  name: last\n  namespace: default\n',
    );
    await kubectl.ok("create configmap bare --from-literal=a=1");
    expect(await kubectl.run("apply set-last-applied -f -", map("bare", { a: "1" }))).toEqual(
      failure(
        "error: no last-applied-configuration annotation found on resource: bare, to create the annotation, run the command with --create-annotation\n",
      ),
    );
  });

  test("--prune and an apply set delete objects that are no longer in the input", async () => {
    const labelled = (name: string) =>
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { set: "pruned" } } });
    const pruning = "apply -f - --prune -l set=pruned --prune-allowlist=core/v1/ConfigMap";
    await kubectl.ok(pruning, `${labelled("stays")}\n---\n${labelled("goes")}`);
    expect(await kubectl.ok(pruning, labelled("stays"))).toBe("configmap/stays unchanged\nconfigmap/goes pruned\n");

    const set = ["apply", "--server-side", "-f", "-", "--prune", "--applyset=app", "-n", "default"];
    const alpha = await realKubectl(cluster, { KUBECTL_APPLYSET: "true" });
    try {
      await alpha.ok(set, `${map("set-a", { a: "1" })}\n---\n${map("set-b", { a: "1" })}`);
      expect(await alpha.ok(set, map("set-a", { a: "1" }))).toBe(
        "configmap/set-a serverside-applied\nconfigmap/set-b pruned\n",
      );
      expect((await get("secret app")).metadata).toMatchObject({
        labels: { "applyset.kubernetes.io/id": expect.stringMatching(/^applyset-.+-v1$/) as string },
        annotations: { "applyset.kubernetes.io/contains-group-kinds": "ConfigMap" },
      });
    } finally {
      await alpha[Symbol.asyncDispose]();
    }
  });
});
