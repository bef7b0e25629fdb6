import { afterAll, beforeAll, expect, test } from "vitest";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({});
  for (const name of ["kube-system", "kube-public", "going"]) {
    await done(server.api, "POST", "/api/v1/namespaces", { metadata: { name } });
  }
  const pods = "/api/v1/namespaces/going/pods";
  await done(server.api, "POST", "/api/v1/namespaces/going/serviceaccounts", { metadata: { name: "default" } });
  await done(server.api, "POST", pods, { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } });
  await done(server.api, "DELETE", "/api/v1/namespaces/going");
});

afterAll(() => server[Symbol.asyncDispose]());

test.each(["default", "kube-system", "kube-public"])("the namespace %s may not be deleted", async (name) => {
  const answer = await call(server.api, "DELETE", `/api/v1/namespaces/${name}`);
  expect([answer.status, answer.at("reason"), answer.at("message")]).toEqual([
    403,
    "Forbidden",
    `namespaces "${name}" is forbidden: this namespace may not be deleted`,
  ]);
});

const TERMINATING = "unable to create new content in namespace going because it is being terminated";
const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
const creates: readonly (readonly [path: string, body: object, subject: string])[] = [
  ["configmaps", { metadata: { name: "c" } }, 'configmaps "c"'],
  ["configmaps", { metadata: { generateName: "c-" } }, 'configmaps "c-"'],
  ["pods/p/eviction", eviction, 'pods "p"'],
  ["pods/p/binding", { metadata: { name: "p" }, target: { name: "n" } }, 'pods "p"'],
];
test.each(creates)("a POST to %s in a namespace that is being deleted is refused", async (path, body, subject) => {
  const answer = await call(server.api, "POST", `/api/v1/namespaces/going/${path}`, body);
  expect([answer.status, answer.at("message"), answer.at("details.causes")]).toEqual([
    403,
    `${subject} is forbidden: ${TERMINATING}`,
    [
      {
        reason: "NamespaceTerminating",
        message: "namespace going is being terminated",
        field: "metadata.namespace",
      },
    ],
  ]);
});

test("objects in a namespace that is being deleted may be changed and deleted", async () => {
  const pod = "/api/v1/namespaces/going/pods/p";
  await done(server.api, "PATCH", pod, { metadata: { labels: { a: "b" } } }, "application/merge-patch+json");
  await done(server.api, "DELETE", pod);
});

test("nothing can be created in a missing namespace, except for an access review", async () => {
  const review = { spec: { user: "u", resourceAttributes: { namespace: "nowhere", verb: "get", resource: "pods" } } };
  await done(server.api, "POST", "/apis/authorization.k8s.io/v1/namespaces/nowhere/localsubjectaccessreviews", review);
  const answer = await call(server.api, "POST", "/api/v1/namespaces/nowhere/configmaps", {});
  expect([answer.status, answer.at("message")]).toEqual([404, 'namespaces "nowhere" not found']);
});
