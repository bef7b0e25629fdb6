import { once } from "node:events";
import { connect } from "node:http2";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { requestHead, tlsSocket } from "../../helpers/tls-socket.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  api = cluster.transport();
  // The table also reads who the anonymous user is.
  const everyone = { kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:unauthenticated" };
  const roleRef = { kind: "ClusterRole", apiGroup: "rbac.authorization.k8s.io", name: "system:basic-user" };
  const binding = { metadata: { name: "everyone-is-a-basic-user" }, subjects: [everyone], roleRef };
  await call(api, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding);
});

afterAll(() => cluster.close());

const PATH = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const AUTHENTICATED = "system:authenticated";

/** As `Impersonate-*` headers without that; what they make of the user is apiserver's pkg/endpoints/filters/impersonation. */
const named = (headers: Wanted) => ({
  repeatedHeaders: Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [`impersonate-${key}`, [value].flat()]),
  ),
});

/** A header is sent once for each value. */
type Wanted = Readonly<Record<string, string | readonly string[]>>;

test.each<[string, Wanted, object]>([
  ["a name", { user: "jane" }, { username: "jane", groups: [AUTHENTICATED] }],
  [
    "all there is of a user",
    { user: "jane", group: ["devs", "a, b"], uid: "u1", "extra-scopes": ["x", "y"], "extra-example.com%2fz": "z" },
    {
      username: "jane",
      uid: "u1",
      groups: ["devs", "a, b", AUTHENTICATED],
      extra: { scopes: ["x", "y"], "example.com/z": ["z"] },
    },
  ],
  [
    "a group that says it already",
    { user: "jane", group: AUTHENTICATED },
    { username: "jane", groups: [AUTHENTICATED] },
  ],
  [
    "the group of those who are nobody",
    { user: "jane", group: "system:unauthenticated" },
    { username: "jane", groups: ["system:unauthenticated"] },
  ],
  [
    "a user whose name is beyond ASCII",
    { user: "jäne 👋", group: ["größe, x", "ops"], uid: "ü", "extra-f%C3%BC": ["✓", "y"] },
    { username: "jäne 👋", uid: "ü", groups: ["größe, x", "ops", AUTHENTICATED], extra: { fü: ["✓", "y"] } },
  ],
  ["the first of several users", { user: ["jane", "joe"] }, { username: "jane", groups: [AUTHENTICATED] }],
  ["nobody", { user: "system:anonymous" }, { username: "system:anonymous", groups: ["system:unauthenticated"] }],
  [
    "nobody in a group",
    { user: "system:anonymous", group: "devs" },
    { username: "system:anonymous", groups: ["devs", "system:unauthenticated"] },
  ],
  [
    "a service account",
    { user: "system:serviceaccount:dev:foo.bar", uid: "u" },
    {
      username: "system:serviceaccount:dev:foo.bar",
      uid: "u",
      groups: ["system:serviceaccounts", "system:serviceaccounts:dev", AUTHENTICATED],
    },
  ],
  [
    "a service account in other groups",
    { user: "system:serviceaccount:dev:foo", group: "devs" },
    { username: "system:serviceaccount:dev:foo", groups: ["devs", AUTHENTICATED] },
  ],
  [
    "a service account of no possible name",
    { user: "system:serviceaccount:dev:Foo" },
    { username: "system:serviceaccount:dev:Foo", groups: [AUTHENTICATED] },
  ],
  [
    "a service account without a name",
    { user: "system:serviceaccount:dev" },
    { username: "system:serviceaccount:dev", groups: [AUTHENTICATED] },
  ],
  [
    "a node",
    { user: "system:node:one.example" },
    { username: "system:node:one.example", groups: ["system:nodes", AUTHENTICATED] },
  ],
  [
    "a node with more than its name",
    { user: "system:node:one", uid: "u" },
    { username: "system:node:one", uid: "u", groups: [AUTHENTICATED] },
  ],
])("impersonating %s gives this user", async (_whom, headers, userInfo) => {
  const answer = await call(api, "POST", PATH, {}, named(headers));
  expect(answer.status, answer.text).toBe(201);
  expect(answer.at("status.userInfo")).toEqual(userInfo);
});

test("impersonation headers with UTF-8 from Go's clients are accepted over HTTP/1.1 and HTTP/2", async () => {
  await using served = await startCluster();
  const socket = await tlsSocket(served);
  const json = ["Content-Type: application/json", "Content-Length: 2", "Connection: close"];
  socket.write(`${requestHead(served, `POST ${PATH}`, ...json, "Impersonate-User: jäne 👋")}{}`);
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  expect(answer).toContain('"username":"jäne 👋"');

  const session = connect(served.url, { ca: served.caCertificate });
  const stream = session.request({
    ":method": "POST",
    ":path": PATH,
    "content-type": "application/json",
    authorization: `Bearer ${served.token}`,
    "impersonate-user": Buffer.from("jäne 👋").toString("latin1"),
  });
  let body = "";
  stream.setEncoding("utf8").on("data", (text: string) => (body += text));
  stream.end("{}");
  await once(stream, "end");
  session.close();
  expect(body).toContain('"username":"jäne 👋"');
});

test.each<[string, Wanted, string]>([
  ["a group", { group: "devs" }, 'Groups:[]string{"devs"}, Extra:map[string][]string(nil)}'],
  [
    "more than a group",
    { uid: "u", "extra-b": ["x", "y"], "extra-a": "z" },
    'Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"z"}, "b":[]string{"x", "y"}}}',
  ],
])("impersonating %s without a user name is a bad request", async (_what, headers, rest) => {
  const answer = await call(api, "POST", PATH, {}, named(headers));
  const { uid = "" } = headers;
  const message = `requested &user.DefaultInfo{Name:"", UID:"${uid}", ${rest} without impersonating a user name`;
  expect([answer.status, answer.at("message")]).toEqual([400, message]);
});
