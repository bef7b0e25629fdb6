import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClusterSession, clusterSession } from "../../helpers/cluster-session.js";

let session: ClusterSession;
beforeAll(async () => {
  session = await clusterSession();
});
afterAll(() => session[Symbol.asyncDispose]());

const configMaps = (...names: string[]): string =>
  names
    .map((name) => JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { of: "test" } } }))
    .join("\n---\n");

test("delete sends the deletion, then waits until the object is gone", async () => {
  await session.kubectl("create -f -", configMaps("a"));
  session.requests();
  expect(await session.kubectl("delete cm a")).toEqual({
    code: 0,
    stdout: 'configmap "a" deleted from default namespace\n',
    stderr: "",
  });
  expect(session.requests()).toEqual([
    'DELETE /api/v1/namespaces/default/configmaps/a {"propagationPolicy":"Background"}',
    "GET /api/v1/namespaces/default/configmaps/a",
  ]);
});

test("delete accepts a selector, a field selector and a list of types", async () => {
  await session.kubectl("create -f -", configMaps("b", "c"));
  expect((await session.kubectl("delete cm,secret -l of=test --field-selector metadata.name=b")).stdout).toBe(
    'configmap "b" deleted from default namespace\n',
  );
  expect((await session.kubectl("delete cm,secret -l of=test -o name")).stdout).toBe("configmap/c\n");
  expect(await session.kubectl("delete cm -l of=test")).toEqual({
    code: 0,
    stdout: "No resources found\n",
    stderr: "",
  });
});

test("delete waits for finalizers until its time limit", async () => {
  const held = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "held", finalizers: ["example.com/hold"] } };
  await session.kubectl("apply -f -", JSON.stringify(held));
  expect(await session.kubectl("delete cm held --timeout=200ms")).toEqual({
    code: 1,
    stdout: 'configmap "held" deleted from default namespace\n',
    stderr: "error: timed out waiting for the condition on configmaps/held\n",
  });
  const waiting = session.kubectl("delete cm held");
  await session.kubectl("apply -f -", JSON.stringify({ ...held, metadata: { name: "held" } }));
  expect((await waiting).code).toBe(0);
  expect((await session.kubectl("get cm held")).code).toBe(1);
});

test("delete --interactive asks before the deletion", async () => {
  await session.kubectl("create -f -", configMaps("d"));
  const question =
    "You are about to delete the following 1 resource(s):\nconfigmap/d\nDo you want to continue? (y/N): ";
  expect((await session.kubectl("delete cm d -i", "n\n")).stdout).toBe(`${question}deletion is cancelled\n`);
  expect((await session.kubectl("delete cm d -i", "Y\n")).stdout).toBe(
    `${question}configmap "d" deleted from default namespace\n`,
  );
});

test("delete --force prints a warning, and that it deleted by force", async () => {
  await session.kubectl("create -f -", configMaps("e"));
  expect(await session.kubectl("delete cm e --force")).toEqual({
    code: 0,
    stdout: 'configmap "e" force deleted from default namespace\n',
    stderr:
      "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\n",
  });
});

test.each([
  [
    "delete",
    "error: You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'\n",
  ],
  ["delete cm", "error: resource(s) were provided, but no name was specified\n"],
  ["delete cm gone", 'Error from server (NotFound): configmaps "gone" not found\n'],
  ["delete nonsense x", 'error: the server doesn\'t have a resource type "nonsense"\n'],
  [
    "delete cm x cm/y",
    "error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'\n",
  ],
  ["delete a/b/c", "error: arguments in resource/name form may not have more than one slash\n"],
  ["delete cm x -l a=b", "error: name cannot be provided when a selector is specified\n"],
  ["delete cm -A x", "error: a resource cannot be retrieved by name across all namespaces\n"],
  ["delete cm x -o yaml", "error: unexpected -o output mode: yaml. We only support '-o name'\n"],
  ["delete cm x --now --grace-period=3", "error: --now and --grace-period cannot be specified together\n"],
  [
    "delete cm x --force --grace-period=3",
    "error: --force and --grace-period greater than 0 cannot be specified together\n",
  ],
])("the command line %s is refused", async (line, stderr) => {
  expect(await session.kubectl(line)).toEqual({ code: 1, stdout: "", stderr });
});
