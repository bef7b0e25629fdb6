import { expect, test } from "vitest";
import { type Answer, configMap, json, startFaultyServer, status, text } from "./faulty-server.js";
import { describeBesideKubectl, sideBySide } from "./side-by-side.js";

const MANIFESTS = {
  "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
  "three.yaml": ["a", "b", "c"]
    .map((name) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`)
    .join("---\n"),
};

const FORBIDDEN = status(403, "Forbidden", 'configmaps is forbidden: User "jane" cannot do that', {
  kind: "configmaps",
});
const CONFLICT = status(
  409,
  "Conflict",
  'Operation cannot be fulfilled on configmaps "a": the object has been modified',
  {
    name: "a",
    kind: "configmaps",
  },
);
const EXISTS = status(409, "AlreadyExists", 'configmaps "a" already exists', { name: "a", kind: "configmaps" });
const ABSENT = status(404, "NotFound", 'configmaps "a" not found', { name: "a", kind: "configmaps" });
const LATE = status(504, "Timeout", "request did not complete within the allotted time", { retryAfterSeconds: 0 });
const FOUND = json(configMap("a", { k: "v" }));

const READS = [
  "kubectl get cm a",
  "kubectl get cm",
  "kubectl get cm a b -o yaml",
  "kubectl get cm,deploy",
  "kubectl describe cm a",
  "kubectl get --raw /api/v1/namespaces/default/configmaps",
  "kubectl logs a",
  "kubectl wait cm a --for=delete --timeout=1s",
];
const WRITES = [
  "kubectl create -f three.yaml --validate=false",
  "kubectl apply -f three.yaml --validate=false",
  "kubectl apply -f three.yaml --server-side --validate=false",
  "kubectl replace -f three.yaml --validate=false",
  "kubectl delete -f three.yaml",
  `kubectl patch cm a b --type=merge -p '{"data":{"k":"w"}}'`,
  "kubectl annotate cm a b x=y",
];
const OTHER_WRITES = ["kubectl delete cm --all", "kubectl diff -f a.yaml", "kubectl scale deploy a --replicas=2"];

async function expectSame(line: string, answers: readonly Answer[]): Promise<void> {
  const { real, ours } = await sideBySide(line, { peer: () => startFaultyServer(answers), files: MANIFESTS });
  expect(ours).toEqual(real);
}

describeBesideKubectl("kubets prints what kubectl prints about a server that answers", () => {
  test.each([...READS, ...WRITES, ...OTHER_WRITES])("forbidden: %s", (line) => expectSame(line, [FORBIDDEN]));
  test.each(READS)("a time-out: %s", (line) => expectSame(line, [LATE]));
});

describeBesideKubectl(
  "kubets prints what kubectl prints about a server that, after a read, answers the write with",
  () => {
    test.each(WRITES)("a conflict: %s", (line) => expectSame(line, [FOUND, CONFLICT]));
    test.each(WRITES.slice(3))("not found: %s", (line) => expectSame(line, [FOUND, ABSENT]));
  },
);

describeBesideKubectl(
  "kubets prints what kubectl prints about a server that has no objects, and answers the write with",
  () => {
    test.each(WRITES.slice(0, 3))("an object that exists: %s", (line) => expectSame(line, [ABSENT, EXISTS]));
    test.each([...WRITES, ...OTHER_WRITES])("a time-out: %s", (line) => expectSame(line, [ABSENT, LATE]));
  },
);

describeBesideKubectl("kubets prints what kubectl prints about an answer that is no Status", () => {
  test.each([
    ["a page of text", text(503, "upstream is down\n")],
    ["a page of HTML", text(502, "<html>Bad gateway</html>", { "content-type": "text/html" })],
    ["nothing", text(500, "")],
    ["JSON that is none", text(200, "{nothing", { "content-type": "application/json" })],
    ["an empty answer", text(200, "", { "content-type": "application/json" })],
    ["an object without a kind", json({})],
    ["an unauthorized text", text(401, "Unauthorized\n")],
    ["a teapot", text(418, "short and stout\n")],
  ])("%s", async (_what, answer) => {
    await expectSame("kubectl get cm a", [answer]);
    await expectSame("kubectl create -f three.yaml --validate=false", [answer]);
  });
});

describeBesideKubectl("kubets repeats as kubectl does a request to a busy server", () => {
  const busy = text(429, "Too many requests, please try again later.\n", { "retry-after": "1" });
  const told = status(429, "TooManyRequests", "the server is busy");

  test("that names a time to wait", () => expectSame("kubectl get cm a -o name", [busy, FOUND]));
  test("that names a time to wait, for a write", () =>
    expectSame(`kubectl patch cm a --type=merge -p '{"data":{"k":"w"}}'`, [FOUND, busy, FOUND]));
  test("that names a time to wait, for a file", () =>
    expectSame("kubectl apply -f three.yaml --validate=false", [ABSENT, busy, FOUND, FOUND]));
  test("but not without a time to wait", () => expectSame("kubectl get cm a", [told]));
});
