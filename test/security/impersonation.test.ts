import { connect } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerOf, Arena, jewel, type Try } from "./arena.js";

const REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const SECRET = "/api/v1/namespaces/default/secrets/jewel";
const GET = `GET ${SECRET}`;
const REFUSED = "403 Forbidden";
const AS = "Impersonate-User";
const GROUP = "Impersonate-Group";
const UID = "Impersonate-Uid";

/** Stands for the robot's token, which is made when the cluster is there. */
const robotIs = "the robot";

let arena: Arena;
let robot: string;

/** jane reads the secret, and so do the group "readers", the account "reader" and whoever has the uid of nothing. imp may act as others. */
beforeAll(async () => {
  arena = await Arena.open();
  await arena.create("/api/v1/namespaces/default/secrets", jewel("jewel"));
  for (const name of ["reader", "robot"]) {
    await arena.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name } });
  }
  await arena.allow("jane,@readers,system:serviceaccount:default:reader,system:node:n", "get secrets jewel");
  await arena.allow(
    "imp",
    "impersonate users bob",
    "impersonate groups devs",
    "impersonate authentication.k8s.io:uids u1",
  );
  await arena.allow("imp", "impersonate authentication.k8s.io:userextras/scopes read");
  await arena.allow("janes", "impersonate users jane");
  await arena.allow("all-users", "impersonate users");
  await arena.allow("all-groups", "impersonate users bob", "impersonate groups readers2");
  await arena.allow("accounts", "impersonate serviceaccounts robot");
  await arena.allow("bob", "impersonate users jane");
  await arena.allow("constrained", "impersonate:user-info authentication.k8s.io:users jane");
  await arena.allow("constrained", "impersonate-on:user-info:list secrets");
  await arena.allow("nodes", "impersonate:arbitrary-node authentication.k8s.io:nodes other");
  await arena.allow("nodes", "impersonate-on:arbitrary-node:get secrets");
  await arena.allow("system:serviceaccount:default:robot", "impersonate:associated-node authentication.k8s.io:nodes");
  await arena.allow("system:serviceaccount:default:robot", "impersonate-on:associated-node:get secrets");
  robot = `bearer ${await arena.token("default", "robot")}`;
});

afterAll(() => arena[Symbol.asyncDispose]());

describe("a user without the right may not impersonate", () => {
  const as = (headers: Readonly<Record<string, string | string[]>>) => [undefined, { headers }] as const;
  const rows: readonly Try[] = [
    ["a user, without any right", "will", GET, REFUSED, ...as({ [AS]: "jane" })],
    [
      "an administrator's group, without any right",
      "will",
      GET,
      REFUSED,
      ...as({ [AS]: "will", [GROUP]: "system:masters" }),
    ],
    ["oneself", "will", GET, REFUSED, ...as({ [AS]: "will" })],
    ["a user that is not the one of the right", "imp", GET, REFUSED, ...as({ [AS]: "jane" })],
    ["the user of the right, who may not read either", "imp", GET, REFUSED, ...as({ [AS]: "bob" })],
    ["system:masters beside that user", "imp", GET, REFUSED, ...as({ [AS]: "bob", [GROUP]: "system:masters" })],
    [
      "system:masters after a group that is allowed",
      "imp",
      GET,
      REFUSED,
      ...as({ [AS]: "bob", [GROUP]: ["devs", "system:masters"] }),
    ],
    [
      "the same in one header with a comma",
      "imp",
      GET,
      REFUSED,
      ...as({ [AS]: "bob", [GROUP]: "devs,system:masters" }),
    ],
    ["the same with a comma and a space", "imp", GET, REFUSED, ...as({ [AS]: "bob", [GROUP]: "devs, system:masters" })],
    ["a group of readers", "imp", GET, REFUSED, ...as({ [AS]: "bob", [GROUP]: "readers" })],
    ["any user, and by that a group", "all-users", GET, REFUSED, ...as({ [AS]: "bob", [GROUP]: "readers" })],
    [
      "any user, and by that system:masters",
      "all-users",
      GET,
      REFUSED,
      ...as({ [AS]: "kubernetes-admin", [GROUP]: "system:masters" }),
    ],
    ["the administrator by name alone", "all-users", GET, REFUSED, ...as({ [AS]: "kubernetes-admin" })],
    [
      "any user, and by that a service account",
      "all-users",
      GET,
      REFUSED,
      ...as({ [AS]: "system:serviceaccount:default:reader" }),
    ],
    [
      "an account whose name has a colon more is a user's",
      "all-users",
      GET,
      REFUSED,
      ...as({ [AS]: "system:serviceaccount:default:reader:x" }),
    ],
    [
      "a service account, another than that of the right",
      "accounts",
      GET,
      REFUSED,
      ...as({ [AS]: "system:serviceaccount:default:reader" }),
    ],
    [
      "an account of the same name elsewhere",
      "accounts",
      GET,
      REFUSED,
      ...as({ [AS]: "system:serviceaccount:kube-system:robot" }),
    ],
    [
      "the account of the right with a group",
      "accounts",
      GET,
      REFUSED,
      ...as({ [AS]: "system:serviceaccount:default:robot", [GROUP]: "readers" }),
    ],
    ["a uid", "imp", GET, REFUSED, ...as({ [AS]: "bob", [UID]: "u2" })],
    ["an extra", "imp", GET, REFUSED, ...as({ [AS]: "bob", "Impersonate-Extra-Scopes": "write" })],
    ["an extra of another key", "imp", GET, REFUSED, ...as({ [AS]: "bob", "Impersonate-Extra-Other": "read" })],
    [
      "an extra of a second value",
      "imp",
      GET,
      REFUSED,
      ...as({ [AS]: "bob", "Impersonate-Extra-Scopes": ["read", "write"] }),
    ],
    [
      "an extra whose key is encoded",
      "imp",
      GET,
      REFUSED,
      ...as({ [AS]: "bob", "Impersonate-Extra-%53copes": "write" }),
    ],
    ["a group without a user", "imp", GET, "400 BadRequest", ...as({ [GROUP]: "system:masters" })],
    ["a uid without a user", "imp", GET, "400 BadRequest", ...as({ [UID]: "u1" })],
    ["an extra without a user", "imp", GET, "400 BadRequest", ...as({ "Impersonate-Extra-Scopes": "read" })],
    ["a group and an empty user", "imp", GET, "400 BadRequest", ...as({ [AS]: "", [GROUP]: "system:masters" })],
    ["an empty user, which is none", "imp", GET, REFUSED, ...as({ [AS]: "" })],
    [
      "the headers in lower case",
      "imp",
      GET,
      REFUSED,
      ...as({ "impersonate-user": "bob", "impersonate-group": "system:masters" }),
    ],
    [
      "the headers in upper case",
      "imp",
      GET,
      REFUSED,
      ...as({ "IMPERSONATE-USER": "bob", "IMPERSONATE-GROUP": "system:masters" }),
    ],
    ["two users, the second of the right", "imp", GET, REFUSED, ...as({ [AS]: ["jane", "bob"] })],
    ["two users, the first of the right", "imp", GET, REFUSED, ...as({ [AS]: ["bob", "jane"] })],
    ["through a user that may act as jane", "imp", GET, REFUSED, ...as({ [AS]: ["bob", "jane"], [GROUP]: "devs" })],
    ["an underscore for a dash, as some proxies read it", "imp", GET, REFUSED, ...as({ Impersonate_User: "jane" })],
    ["a name with a look-alike letter", "janes", GET, REFUSED, ...as({ [AS]: Buffer.from("jаne").toString("latin1") })],
    ["a name in another case", "janes", GET, REFUSED, ...as({ [AS]: "Jane" })],
    ["a name with the right one before a line's end", "imp", GET, REFUSED, ...as({ [AS]: "jane\tbob" })],
    ["a name of anonymous requests", "imp", GET, REFUSED, ...as({ [AS]: "system:anonymous" })],
    ["a node, by the right to act as users", "imp", GET, REFUSED, ...as({ [AS]: "system:node:n" })],
    ["another node than that of the right", "nodes", GET, REFUSED, ...as({ [AS]: "system:node:n" })],
    ["the node of the right, which reads no such secret", "nodes", GET, REFUSED, ...as({ [AS]: "system:node:other" })],
    [
      "a node and the group of nodes by oneself",
      "nodes",
      GET,
      REFUSED,
      ...as({ [AS]: "system:node:other", [GROUP]: "system:masters" }),
    ],
    ["the node of a pod that the token is not of", robotIs, GET, REFUSED, ...as({ [AS]: "system:node:n" })],
    ["a user, by a right for another verb", "constrained", GET, REFUSED, ...as({ [AS]: "jane" })],
    [
      "a user with a group beside the constrained right",
      "constrained",
      GET,
      REFUSED,
      ...as({ [AS]: "jane", [GROUP]: "readers" }),
    ],
    ["without credentials", "nobody", GET, REFUSED, ...as({ [AS]: "jane" })],
    [
      "without credentials, as an administrator",
      "nobody",
      GET,
      REFUSED,
      ...as({ [AS]: "x", [GROUP]: "system:masters" }),
    ],
    ["with a wrong token", "bearer wrong", GET, "401 Unauthorized", ...as({ [AS]: "jane" })],
    ["to learn who one would be", "will", `POST ${REVIEW}`, REFUSED, {}, { headers: { [AS]: "jane" } }],
    ["on a path of no resource", "will", "GET /metrics", REFUSED, ...as({ [AS]: "jane", [GROUP]: "system:masters" })],
    ["by a read that is allowed to everybody", "will", "GET /version", REFUSED, ...as({ [AS]: "jane" })],
    [
      "to give oneself the right",
      "will",
      "POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
      REFUSED,
      { metadata: { name: "x" } },
      { headers: { [AS]: "x", [GROUP]: "system:masters" } },
    ],
  ];
  test.each(rows.map((row) => ({ title: row[0], row })))("$title", async ({ row }) => {
    const [title, who, ...rest] = row;
    await arena.attempt([title, who === robotIs ? robot : who, ...rest]);
  });
});

test("over HTTP/2, by sending a header twice", async () => {
  const { certificate, key } = arena.certificateOf("imp");
  const session = connect(arena.cluster.url, { ca: arena.cluster.caCertificate, cert: certificate, key });
  for (const headers of [
    { [AS]: "bob", [GROUP]: ["devs", "system:masters"] },
    { [AS]: "bob", [GROUP]: "devs", "IMPERSONATE-EXTRA-scopes": "write" },
    { [GROUP]: ["devs", "system:masters"] },
  ]) {
    const stream = session.request({ ":path": SECRET, ...headers });
    const status = await new Promise<number>((resolve, reject) => {
      stream.on("response", (head) => resolve(head[":status"] ?? 0)).on("error", reject);
    });
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += String(chunk);
    expect(answerOf({ status, text })).toMatch(/^(403 Forbidden|400 BadRequest)$/);
    arena.holdsNoSecret({ text, headers: {} });
  }
  session.close();
});

test("while a user with the right reads what jane may, so that the rows above fail for the tested reason", async () => {
  const answer = await arena.send("janes", { method: "GET", path: SECRET, headers: { [AS]: "jane" } });
  expect(answer.status, answer.text).toBe(200);
  expect(arena.faults).toEqual([]);
});
