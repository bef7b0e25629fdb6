import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClusterSession, clusterSession } from "../../helpers/cluster-session.js";

let session: ClusterSession;
beforeAll(async () => {
  session = await clusterSession();
  await session.write({
    "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: '<1>'}\n",
    "three.yaml":
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: t1}\n---\n{bad\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: t3}\n",
    "dir/1.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d1}\n",
    "dir/2.json":
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d2"}}{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d3"}}',
    "dir/readme.txt": "not a manifest",
    "dir/sub/4.yml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d4}\n",
    "empty/readme.txt": "",
    "unknown-field.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: u}\nfoo: 1\n",
    "elsewhere.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: e, namespace: other}\n",
    "nothing.yaml": "# no document\n---\n",
    "not-served.yaml": "apiVersion: scheduling.k8s.io/v1alpha3\nkind: CompositePodGroup\nmetadata: {name: g}\n",
    "list.yaml":
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: l}, foo: 1}\n- {a: b}\n",
  });
});
afterAll(() => session[Symbol.asyncDispose]());

test("create sends the document as kubectl sends it", async () => {
  session.requests();
  expect(await session.kubectl("create -f a.yaml")).toEqual({ code: 0, stdout: "configmap/a created\n", stderr: "" });
  expect(session.requests()).toEqual([
    'POST /api/v1/namespaces/default/configmaps?fieldManager=kubectl-create&fieldValidation=Strict {"apiVersion":"v1","data":{"k":"\\u003c1\\u003e"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}',
  ]);
});

test("create creates the objects before an invalid document", async () => {
  const result = await session.kubectl("create -f three.yaml");
  expect(result.code).toBe(1);
  expect(result.stdout).toBe("configmap/t1 created\n");
  expect(result.stderr).toMatch(/^error: error parsing three\.yaml: error converting YAML to JSON: yaml: /);
});

test("create reads the files of a directory, and of its subdirectories only with -R", async () => {
  expect((await session.kubectl("create -f dir --dry-run=client")).stdout).toBe(
    "configmap/d1 created (dry run)\nconfigmap/d2 created (dry run)\nconfigmap/d3 created (dry run)\n",
  );
  expect((await session.kubectl("create -f dir -R -o name")).stdout).toBe(
    "configmap/d1\nconfigmap/d2\nconfigmap/d3\nconfigmap/d4\n",
  );
});

test("create --save-config records the configuration for a later apply", async () => {
  const manifest = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s"}}';
  await session.kubectl("create --save-config -f -", manifest);
  expect((await session.kubectl("apply -f -", manifest)).stdout).toBe("configmap/s unchanged\n");
});

test.each([
  ["create", "error: must specify one of -f and -k\n"],
  ["create -f nowhere.yaml", 'error: the path "nowhere.yaml" does not exist\n'],
  ["create -f empty", "error: error reading [empty]: recognized file extensions are [.json .yaml .yml]\n"],
  ["create -f nothing.yaml", "error: no objects passed to create\n"],
  [
    "create -f a.yaml",
    'Error from server (AlreadyExists): error when creating "a.yaml": configmaps "a" already exists\n',
  ],
  [
    "create -f elsewhere.yaml -n default",
    'error: the namespace from the provided object "other" does not match the namespace "default". You must pass \'--namespace=other\' to perform this operation.\n',
  ],
  [
    "create -f elsewhere.yaml",
    'Error from server (NotFound): error when creating "elsewhere.yaml": namespaces "other" not found\n',
  ],
  [
    "create -f unknown-field.yaml",
    'Error from server (BadRequest): error when creating "unknown-field.yaml": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo"\n',
  ],
  [
    "create -f not-served.yaml",
    'error: resource mapping not found for name: "g" namespace: "" from "not-served.yaml": no matches for kind "CompositePodGroup" in version "scheduling.k8s.io/v1alpha3"\nensure CRDs are installed first\n',
  ],
  [
    "create -f list.yaml",
    'error: error validating "list.yaml": error validating data: [ValidationError(ConfigMap): unknown field "foo" in io.k8s.api.core.v1.ConfigMap, apiVersion not set, kind not set]; if you choose to ignore these errors, turn validation off with --validate=false\n',
  ],
  ["create -f a.yaml --raw x", 'error: --raw must be a valid URL path: parse "x": invalid URI for request\n'],
])("the command line %s is refused", async (line, stderr) => {
  expect(await session.kubectl(line)).toEqual({ code: 1, stdout: "", stderr });
});
