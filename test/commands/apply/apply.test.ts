import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClusterSession, clusterSession } from "../../helpers/cluster-session.js";

let session: ClusterSession;
beforeAll(async () => {
  session = await clusterSession();
});
afterAll(() => session[Symbol.asyncDispose]());

const configMap = (name: string, data: object, more: object = {}): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data });

test("apply keeps fields that others set, and removes those that are no longer in the file", async () => {
  await session.write({ "1.yaml": configMap("a", { one: "1", two: "2" }), "2.yaml": configMap("a", { two: "x" }) });
  expect(await session.kubectl("apply -f 1.yaml")).toEqual({ code: 0, stdout: "configmap/a created\n", stderr: "" });
  expect(await session.kubectl("apply -f 1.yaml")).toEqual({ code: 0, stdout: "configmap/a unchanged\n", stderr: "" });
  await session.write({ "other.json": configMap("a", { three: "3" }) });
  await session.kubectl("apply -f 1.yaml --dry-run=server");
  session.requests();

  expect(await session.kubectl("apply -f 2.yaml")).toEqual({ code: 0, stdout: "configmap/a configured\n", stderr: "" });
  expect(session.requests()).toEqual([
    "GET /api/v1/namespaces/default/configmaps/a",
    'PATCH /api/v1/namespaces/default/configmaps/a?fieldManager=kubectl-client-side-apply&fieldValidation=Strict {"data":{"one":null,"two":"x"},"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\\"apiVersion\\":\\"v1\\",\\"data\\":{\\"two\\":\\"x\\"},\\"kind\\":\\"ConfigMap\\",\\"metadata\\":{\\"annotations\\":{},\\"name\\":\\"a\\",\\"namespace\\":\\"default\\"}}\\n"}}}',
  ]);
  expect((await session.kubectl("get cm a -o jsonpath={.data}")).stdout).toBe('{"two":"x"}');
});

test("dry runs of apply change nothing, and the output marks them", async () => {
  await session.write({ "dry.yaml": configMap("dry", { a: "1" }) });
  expect((await session.kubectl("apply -f dry.yaml --dry-run=client")).stdout).toBe(
    "configmap/dry created (dry run)\n",
  );
  expect((await session.kubectl("apply -f dry.yaml --dry-run=server")).stdout).toBe(
    "configmap/dry created (server dry run)\n",
  );
  expect((await session.kubectl("get cm dry")).code).toBe(1);
});

test("apply takes over an object that it did not create, with a warning", async () => {
  await session.write({ "own.yaml": configMap("own", { a: "1" }) });
  await session.kubectl("create -f own.yaml");
  expect(await session.kubectl("apply -f own.yaml")).toEqual({
    code: 0,
    stdout: "configmap/own configured\n",
    stderr:
      "Warning: resource configmaps/own is missing the kubectl.kubernetes.io/last-applied-configuration annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.\n",
  });
});

test("apply goes on with the documents after one that fails, and reports all failures", async () => {
  const unknown = JSON.stringify({ apiVersion: "v1", kind: "Foo", metadata: { name: "x" } });
  await session.write({ "mixed.yaml": [configMap("m1", {}), unknown, configMap("m2", {})].join("\n---\n") });
  expect(await session.kubectl("apply -f mixed.yaml -f nowhere.yaml")).toEqual({
    code: 1,
    stdout: "",
    stderr: 'error: the path "nowhere.yaml" does not exist\n',
  });
  expect(await session.kubectl("apply -f mixed.yaml")).toEqual({
    code: 1,
    stdout: "configmap/m1 created\nconfigmap/m2 created\n",
    stderr:
      'error: resource mapping not found for name: "x" namespace: "" from "mixed.yaml": no matches for kind "Foo" in version "v1"\nensure CRDs are installed first\n',
  });
});

test("apply --force deletes and creates an object with an immutable change", async () => {
  const immutable = (value: string): string =>
    JSON.stringify({ ...(JSON.parse(configMap("fixed", { a: value })) as object), immutable: true });
  await session.write({ "f1.yaml": immutable("1"), "f2.yaml": immutable("2") });
  await session.kubectl("apply -f f1.yaml");
  const refused = await session.kubectl("apply -f f2.yaml");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("field is immutable when `immutable` is set");
  expect((await session.kubectl("apply -f f2.yaml --force")).stdout).toBe("configmap/fixed configured\n");
});

test("apply -o yaml prints a list as kubectl composes it", async () => {
  await session.write({ "l1.yaml": configMap("l1", {}), "l2.yaml": configMap("l2", {}) });
  const { stdout } = await session.kubectl("apply -f l1.yaml,l2.yaml -o json");
  expect(
    stdout.startsWith('{\n    "kind": "List",\n    "apiVersion": "v1",\n    "metadata": {},\n    "items": [\n'),
  ).toBe(true);
});

test.each([
  ["apply", "error: must specify one of -f and -k\n"],
  ["apply extra -f x", "error: Unexpected args: [extra]\nSee 'kubectl apply -h' for help and examples\n"],
  ["apply -f x --dry-run=maybe", 'error: Invalid dry-run value (maybe). Must be "none", "server", or "client".\n'],
  [
    "apply -f x --validate=maybe",
    'error: invalid - validate option "maybe"; must be one of: strict (or true), warn, ignore (or false)\n',
  ],
  [
    "apply -f x --cascade=maybe",
    'error: invalid cascade value (maybe). Must be "background", "foreground", or "orphan"\n',
  ],
  ["apply -f x --force --dry-run=server", "error: --dry-run=server cannot be used with --force\n"],
])("apply is refused for the command line %s", async (line, stderr) => {
  expect(await session.kubectl(line)).toEqual({ code: 1, stdout: "", stderr });
});

test("apply of many objects reads ahead, with the same requests and the writes in the same order", async () => {
  const names = Array.from({ length: 30 }, (_, at) => `many-${at}`);
  const twice = [...names, "many-0"];
  await session.write({ "many.yaml": twice.map((name) => configMap(name, { a: "1" })).join("\n---\n") });
  session.requests();
  const { stdout } = await session.kubectl("apply -f many.yaml");
  expect(stdout).toBe(
    [...names.map((name) => `configmap/${name} created`), "configmap/many-0 unchanged"]
      .map((line) => `${line}\n`)
      .join(""),
  );
  const requests = session.requests().map((line) => line.split(" ").slice(0, 2).join(" "));
  const reads = requests.filter((line) => line.startsWith("GET "));
  expect(reads.toSorted()).toEqual(twice.map((name) => `GET /api/v1/namespaces/default/configmaps/${name}`).toSorted());
  expect(requests.filter((line) => !line.startsWith("GET "))).toEqual(
    names.map(
      () => "POST /api/v1/namespaces/default/configmaps?fieldManager=kubectl-client-side-apply&fieldValidation=Strict",
    ),
  );
  const placeOf = (line: string): number => requests.indexOf(line);
  const nthWrite = (n: number): number =>
    requests.flatMap((line, at) => (line.startsWith("POST ") ? [at] : []))[n] ?? 0;
  const ahead = names.filter(
    (name, n) => n > 0 && placeOf(`GET /api/v1/namespaces/default/configmaps/${name}`) < nthWrite(n - 1),
  );
  expect(ahead.length).toBeGreaterThan(0);
});
