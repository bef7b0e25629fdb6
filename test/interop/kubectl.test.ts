import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl interop is skipped: ${missing}\n`);

const SHOP = join(import.meta.dirname, "..", "..", "examples", "shop");

const lines = (text: string): string[] => text.trimEnd().split("\n");

function configMap(name: string, data: Readonly<Record<string, unknown>>, more: object = {}): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data, ...more });
}

function deployment(name: string, spec: object = {}, container: object = {}): string {
  const labels = { app: name };
  const containers = [{ name: "web", image: "nginx:1", ...container }];
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } }, ...spec },
  });
}

describe.skipIf(missing !== undefined)("kubectl 1.37.1, without a flag of ours", () => {
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

  const json = async (argv: string): Promise<Record<string, Record<string, unknown>>> =>
    JSON.parse(await kubectl.ok(`${argv} -o json`)) as Record<string, Record<string, unknown>>;

  test("is refused an object larger than etcd takes", async () => {
    const resourceNames = ["x".repeat(1_600_000)];
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames }];
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "large" }, rules };
    expect(await kubectl.run("create -f -", JSON.stringify(role))).toEqual({
      code: 1,
      stdout: "",
      stderr: 'Error from server: error when creating "STDIN": etcdserver: request is too large\n',
    });
  });

  test.each([40_000, 110_000])(
    "gets by a selector of %i characters, by HTTP/1.1 when it is too long for HTTP/2",
    async (length) => {
      const selector = Array.from({ length: length / 10 }, (_, at) => `key-${at}`.padEnd(9, "x")).join(",");
      expect(await kubectl.run(["get", "pods", "-l", selector])).toMatchObject({
        code: 0,
        stderr: "No resources found in default namespace.\n",
      });
    },
  );

  test("gets the objects of a new cluster in every usual output format", async () => {
    expect(lines(await kubectl.ok("get namespaces -o name"))).toEqual([
      "namespace/default",
      "namespace/kube-node-lease",
      "namespace/kube-public",
      "namespace/kube-system",
    ]);
    expect(await kubectl.ok("get namespaces default --no-headers")).toMatch(/^default +Active +\d+s\n$/);
    expect(await kubectl.ok("get svc kubernetes -o jsonpath={.spec.clusterIP}")).toBe("10.96.0.1");
    expect(
      lines(await kubectl.ok("get svc,sa -A -o custom-columns=K:.kind,N:.metadata.name --no-headers")),
    ).toHaveLength(5);
    expect(await kubectl.run("get pods")).toEqual({
      code: 0,
      stdout: "",
      stderr: "No resources found in default namespace.\n",
    });
    expect(await kubectl.run("get configmap nope")).toEqual({
      code: 1,
      stdout: "",
      stderr: 'Error from server (NotFound): configmaps "nope" not found\n',
    });
    expect((await kubectl.run("get widgets")).stderr).toBe(
      'error: the server doesn\'t have a resource type "widgets"\n',
    );
    expect(await kubectl.ok("get --raw /readyz")).toBe("ok");
  });

  test("creates an object, and is refused to create it again", async () => {
    const body = configMap("made", { a: "1" });
    expect(await kubectl.ok("create -f -", body)).toBe("configmap/made created\n");
    expect(await kubectl.run("create -f -", body)).toMatchObject({
      code: 1,
      stderr: 'Error from server (AlreadyExists): error when creating "STDIN": configmaps "made" already exists\n',
    });
    expect(await kubectl.ok("create deployment quick --image=nginx --replicas=2")).toBe(
      "deployment.apps/quick created\n",
    );
    expect(await kubectl.ok("get deployment quick --no-headers")).toMatch(/^quick +0\/2 +0 +0 +\d+s\n$/);
    expect(await kubectl.ok("scale deployment quick --replicas=3")).toBe("deployment.apps/quick scaled\n");
    expect(await kubectl.ok("label deployment quick tier=front")).toBe("deployment.apps/quick labeled\n");
    expect(await kubectl.ok("get deployment quick -L tier --no-headers")).toMatch(/front\n$/);
    expect(await kubectl.ok(["patch", "deployment", "quick", "-p", '{"spec":{"paused":true}}'])).toBe(
      "deployment.apps/quick patched\n",
    );
    expect(await kubectl.ok("set image deployment/quick nginx=nginx:2")).toBe("deployment.apps/quick image updated\n");
    expect((await json("get deployment quick")).metadata?.generation).toBe(4);
  });

  test("applies: prints created, unchanged, and configured only when the file changed", async () => {
    const files = (web: object) => [
      configMap("applied-a", { key: "1", ...web }),
      configMap("applied-b", { key: "1" }),
      deployment("applied-c"),
    ];
    const apply = (documents: readonly string[]) => kubectl.ok("apply -f -", documents.join("\n---\n"));
    const answers = (...words: readonly string[]) =>
      ["configmap/applied-a", "configmap/applied-b", "deployment.apps/applied-c"].map(
        (name, at) => `${name} ${words[at]}`,
      );
    expect(lines(await apply(files({})))).toEqual(answers("created", "created", "created"));
    expect(lines(await apply(files({})))).toEqual(answers("unchanged", "unchanged", "unchanged"));
    expect(lines(await apply(files({ more: "2" })))).toEqual(answers("configured", "unchanged", "unchanged"));
  });

  test("removes by apply a field removed from the file, and keeps one that another client set", async () => {
    const env = (...names: readonly string[]) => ({ env: names.map((name) => ({ name, value: name })) });
    await kubectl.ok("apply -f -", deployment("owned", { replicas: 2, minReadySeconds: 5 }, env("A", "B")));
    await kubectl.ok("annotate deployment owned note=kept");
    await kubectl.ok("set env deployment/owned C=set");
    await kubectl.ok("scale deployment owned --replicas=7");
    expect(await kubectl.ok("apply -f -", deployment("owned", {}, env("A")))).toBe(
      "deployment.apps/owned configured\n",
    );
    const { metadata, spec } = (await json("get deployment owned")) as Record<string, Record<string, unknown>>;
    expect(metadata?.annotations).toMatchObject({ note: "kept" });
    expect(spec).not.toHaveProperty("minReadySeconds");
    // Removed from the file: the default comes back, as from any server.
    expect(spec?.replicas).toBe(1);
    expect(spec).toHaveProperty("template.spec.containers.0.env", [
      { name: "A", value: "A" },
      { name: "C", value: "set" },
    ]);
  });

  test("applies a kind: List, which it validates with the server's OpenAPI v2", async () => {
    const list = (...items: readonly string[]) =>
      JSON.stringify({ apiVersion: "v1", kind: "List", items: items.map((item) => JSON.parse(item) as unknown) });
    const apply = (b: string) =>
      kubectl.ok("apply -f -", list(configMap("list-a", { k: "v" }), configMap("list-b", { k: b })));
    expect(await apply("1")).toBe("configmap/list-a created\nconfigmap/list-b created\n");
    expect(await apply("2")).toBe("configmap/list-a unchanged\nconfigmap/list-b configured\n");
    expect(await kubectl.ok("delete -f -", list(configMap("list-a", {}), configMap("list-b", {})))).toBe(
      'configmap "list-a" deleted from default namespace\nconfigmap "list-b" deleted from default namespace\n',
    );
  });

  describe("is refused by strict validation:", () => {
    const wrongTypes = deployment("wrong", { replicas: "two" });
    const rows: readonly { name: string; body: string; says: string }[] = [
      {
        name: "an unknown field",
        body: deployment("unknown", { replicaz: 2 }),
        says: 'Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replicaz"\n',
      },
      {
        name: "several unknown fields, deep ones too",
        body: deployment("unknown", { foo: 1 }, { imagePullPolice: "Always" }),
        says: 'Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.foo", unknown field "spec.template.spec.containers[0].imagePullPolice"\n',
      },
      {
        name: "a value of the wrong type",
        body: wrongTypes,
        says: 'Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32\n',
      },
      {
        name: "a number where text belongs",
        body: configMap("number", { port: 80 }),
        says: 'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string\n',
      },
      {
        name: "a field the API requires",
        body: deployment("bare", { selector: undefined }),
        says: 'The Deployment "bare" is invalid: \n* spec.selector: Required value\n* spec.template.metadata.labels: Invalid value: {"app":"bare"}: `selector` does not match template `labels`\n',
      },
    ];
    test.each(rows)("$name", async ({ body, says }) => {
      expect(await kubectl.run("create -f -", body)).toEqual({ code: 1, stdout: "", stderr: says });
    });

    test("a field given twice, in a body that kubectl sends unchanged", async () => {
      const twice =
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"x"},"data":{"a":"z"}}';
      const path = "/api/v1/namespaces/default/configmaps?fieldValidation=Strict";
      expect(await kubectl.run(["create", "--raw", path, "-f", "-"], twice)).toEqual({
        code: 1,
        stdout: "",
        stderr:
          'Error from server (BadRequest): ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data"\n',
      });
    });

    test("unless --validate=warn creates with a warning, and --validate=ignore without", async () => {
      expect(await kubectl.run("create --validate=warn -f -", deployment("warned", { foo: 1 }))).toEqual({
        code: 0,
        stdout: "deployment.apps/warned created\n",
        stderr: 'Warning: unknown field "spec.foo"\n',
      });
      expect(await kubectl.run("create --validate=ignore -f -", deployment("ignored", { foo: 1 }))).toEqual({
        code: 0,
        stdout: "deployment.apps/ignored created\n",
        stderr: "",
      });
    });
  });

  test("--dry-run=server prints the object with defaults and writes nothing", async () => {
    const made = JSON.parse(await kubectl.ok("create --dry-run=server -o json -f -", deployment("dry"))) as object;
    expect(made).toMatchObject({ spec: { replicas: 1, template: { spec: { restartPolicy: "Always" } } } });
    expect(await kubectl.ok("apply --dry-run=server -f -", deployment("dry"))).toBe(
      "deployment.apps/dry created (server dry run)\n",
    );
    expect((await kubectl.run("get deployment dry")).code).toBe(1);
    await kubectl.ok("apply -f -", deployment("dry"));
    const before = (await json("get deployment dry")).metadata?.resourceVersion;
    expect(await kubectl.ok("apply --dry-run=server -f -", deployment("dry", { replicas: 4 }))).toBe(
      "deployment.apps/dry configured (server dry run)\n",
    );
    expect(await kubectl.ok("delete deployment dry --dry-run=server")).toBe(
      'deployment.apps "dry" deleted from default namespace (server dry run)\n',
    );
    expect((await json("get deployment dry")).metadata?.resourceVersion).toBe(before);
    expect((await kubectl.run("diff -f -", deployment("dry", { replicas: 4 }))).stdout).toMatch(
      /^-  replicas: 1\n\+  replicas: 4$/m,
    );
  });

  test("lists in api-resources and api-versions what is served", async () => {
    const names = lines(await kubectl.ok("api-resources --no-headers -o name"));
    expect(names).toEqual(
      expect.arrayContaining(["pods", "deployments.apps", "flowschemas.flowcontrol.apiserver.k8s.io"]),
    );
    expect(names.length).toBeGreaterThan(60);
    expect(await kubectl.ok("api-resources --no-headers --api-group=apps")).toMatch(
      /^deployments +deploy +apps\/v1 +true +Deployment$/m,
    );
    expect(lines(await kubectl.ok("api-resources --categories=all --namespaced -o name"))).toContain("cronjobs.batch");
    expect(lines(await kubectl.ok("api-versions"))).toEqual(
      expect.arrayContaining(["apps/v1", "autoscaling/v2", "v1"]),
    );
  });

  test("explains types, fields and enums from OpenAPI v3", async () => {
    const replicas = await kubectl.ok("explain deployment.spec.replicas");
    expect(replicas).toMatch(/^GROUP: {6}apps\nKIND: {7}Deployment\nVERSION: {4}v1\n\nFIELD: replicas <integer>\n/);
    const pod = await kubectl.ok("explain pod.spec.containers --recursive");
    expect(pod).toMatch(/^FIELD: containers <\[\]Container>$/m);
    expect(pod).toMatch(/^ {2}name\t<string> -required-$/m);
    expect(pod).toMatch(/^ {2}enum: Always, IfNotPresent, Never$/m);
    expect(await kubectl.run("explain deployment.spec.nope")).toMatchObject({
      code: 1,
      stderr: 'error: field "nope" does not exist\n',
    });
    expect(await kubectl.ok("explain hpa --api-version=autoscaling/v1")).toMatch(/^VERSION: {4}v1$/m);
  });

  test("prints with get -w existing objects and then every change", async () => {
    await kubectl.ok("create namespace watched");
    await kubectl.ok("create configmap first -n watched");
    const watching = kubectl.start("get configmaps -n watched -w --output-watch-events --no-headers");
    try {
      let seen = "";
      watching.stdout?.setEncoding("utf8").on("data", (text: string) => (seen += text));
      const events = () =>
        seen
          .split("\n")
          .filter((line) => line !== "" && !line.includes("kube-root-ca.crt"))
          .map((line) => line.split(/ +/).slice(0, 3).join(" "));
      await expect.poll(events).toEqual(["ADDED first 0"]);
      await kubectl.ok("create configmap second --from-literal=a=1 -n watched");
      await kubectl.ok(["patch", "cm", "first", "-n", "watched", "-p", '{"data":{"x":"1","y":"2"}}']);
      await kubectl.ok("delete configmap second -n watched");
      await expect.poll(events).toEqual(["ADDED first 0", "ADDED second 1", "MODIFIED first 2", "DELETED second 1"]);
    } finally {
      watching.kill();
    }
  });

  test("waits for a condition, and delete waits until the object is gone", async () => {
    await kubectl.ok("create configmap waited");
    expect(await kubectl.ok("wait --for=jsonpath={.metadata.name}=waited configmap/waited --timeout=10s")).toBe(
      "configmap/waited condition met\n",
    );
    expect(await kubectl.ok("delete configmap waited")).toBe('configmap "waited" deleted from default namespace\n');
    expect((await kubectl.run("delete configmap waited")).stderr).toBe(
      'Error from server (NotFound): configmaps "waited" not found\n',
    );
    await kubectl.ok("create configmap many-1");
    await kubectl.ok("create configmap many-2");
    await kubectl.ok("label configmap many-1 many-2 set=many");
    expect(await kubectl.ok("delete configmap -l set=many")).toBe(
      'configmap "many-1" deleted from default namespace\nconfigmap "many-2" deleted from default namespace\n',
    );
    await kubectl.ok("create namespace emptied");
    await kubectl.ok("create configmap inside -n emptied");
    expect(await kubectl.ok("delete namespace emptied --timeout=20s")).toBe('namespace "emptied" deleted\n');
  });

  describe("the example application in this directory", () => {
    test("is applied, applied again, changed in one file and deleted", async () => {
      const created = lines(await kubectl.ok(["apply", "-R", "-f", SHOP]));
      expect(created.length).toBeGreaterThanOrEqual(15);
      expect(created.filter((line) => !line.endsWith(" created"))).toEqual([]);

      // What kubectl says of these on any server: stringData is never there to compare with, claim templates and
      // selectors are compared whole, and quantities come back in their shortest form.
      const always = [
        "secret/database configured",
        "statefulset.apps/database configured",
        "poddisruptionbudget.policy/web configured",
        "cronjob.batch/nightly-report configured",
      ];
      const versions = () =>
        kubectl.ok("get all,secrets,pdb,cm,ing,pvc -n shop -o jsonpath={.items[*].metadata.resourceVersion}");
      const before = await versions();
      const again = lines(await kubectl.ok(["apply", "-R", "-f", SHOP]));
      const expected = created
        .map((line) => line.replace(/ created$/, ""))
        .map((name) => always.find((line) => line.startsWith(`${name} `)) ?? `${name} unchanged`);
      expect(again).toEqual(expected);
      // Said to be configured, but nothing was written.
      expect(await versions()).toBe(before);

      const copy = join(kubectl.folder, "shop");
      await cp(SHOP, copy, { recursive: true });
      const config = join(copy, "10-config.yaml");
      await writeFile(config, (await readFile(config, "utf8")).replace("LOG_LEVEL: info", "LOG_LEVEL: debug"));
      expect(lines(await kubectl.ok(["apply", "-R", "-f", copy]))).toEqual(
        expected.map((line) => line.replace("configmap/web unchanged", "configmap/web configured")),
      );

      const table = await kubectl.ok("get deployments,statefulsets,cronjobs,hpa,ingresses,pvc,pdb -n shop");
      expect(table).toMatch(/^deployment\.apps\/web +0\/2 +0 +0 +\d+s$/m);
      expect(table).toMatch(/^cronjob\.batch\/nightly-report +15 3 \* \* \* +Europe\/Berlin +False +0 +<none> +\d+s$/m);

      // The namespace goes first and takes what is in it along, sooner or later.
      const deleted = lines(await kubectl.ok(["delete", "-R", "-f", SHOP, "--ignore-not-found", "--timeout=30s"]));
      expect(deleted[0]).toBe('namespace "shop" deleted');
      expect((await kubectl.run("get namespace shop")).code).toBe(1);
    });
  });
});
