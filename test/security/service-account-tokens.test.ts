import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { answerOf, Arena, jewel, pod, type Try, tryAll } from "./arena.js";

const CORE = "/api/v1/namespaces/default";
const ACCOUNTS = `${CORE}/serviceaccounts`;
const SECRET = `${CORE}/secrets/jewel`;
const REFUSED = "403 Forbidden";
const UNKNOWN = "401 Unauthorized";

let arena: Arena;

const tokenOf = (account: string, spec: object = {}) => ({
  apiVersion: "authentication.k8s.io/v1",
  kind: "TokenRequest",
  spec,
  metadata: { name: account },
});

/** The accounts "reader" and "mine" may read the secret; tom may make tokens for "plain". */
beforeAll(async () => {
  arena = await Arena.open();
  await arena.create("/api/v1/namespaces", { metadata: { name: "other" } });
  for (const namespace of ["default", "other"]) {
    for (const name of ["default", "plain", "reader"]) {
      await arena.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
    }
  }
  await arena.create(`${CORE}/secrets`, jewel("jewel"));
  await arena.create(`${CORE}/pods`, pod("of-reader", { serviceAccountName: "reader" }));
  await arena.create(`${CORE}/pods`, pod("of-plain", { serviceAccountName: "plain" }));
  await arena.allow("@system:serviceaccounts", "get secrets jewel");
  await arena.allowIn("default", "tom", "create serviceaccounts/token plain");
  await arena.allowIn("default", "sue", "create,get,update,patch serviceaccounts", "create secrets");
  await arena.allowIn("default", "pat", "patch,update serviceaccounts/token");
});

afterAll(() => arena[Symbol.asyncDispose]());

describe("a service account token does not give more than its own rights:", () => {
  const rows: readonly Try[] = [
    ["an account, without any right", "will", `POST ${ACCOUNTS}/reader/token`, REFUSED, tokenOf("reader")],
    ["another account than that of the right", "tom", `POST ${ACCOUNTS}/reader/token`, REFUSED, tokenOf("reader")],
    [
      "another account, named in the body alone",
      "tom",
      `POST ${ACCOUNTS}/plain/token`,
      "422 Invalid",
      tokenOf("reader"),
    ],
    [
      "an account of another namespace, named in the body",
      "tom",
      `POST ${ACCOUNTS}/plain/token`,
      "400 BadRequest",
      { ...tokenOf("plain"), metadata: { name: "plain", namespace: "other" } },
    ],
    [
      "the account of that name in another namespace",
      "tom",
      "POST /api/v1/namespaces/other/serviceaccounts/plain/token",
      REFUSED,
      tokenOf("plain"),
    ],
    ["an account, by who may create accounts", "sue", `POST ${ACCOUNTS}/reader/token`, REFUSED, tokenOf("reader")],
    [
      "an account, by who may change the subresource",
      "pat",
      `POST ${ACCOUNTS}/reader/token`,
      REFUSED,
      tokenOf("reader"),
    ],
    [
      "an account, by a verb that the subresource has not",
      "pat",
      `PUT ${ACCOUNTS}/reader/token`,
      "405 MethodNotAllowed",
      tokenOf("reader"),
    ],
    ["an account that does not exist", "tom", `POST ${ACCOUNTS}/ghost/token`, REFUSED, tokenOf("ghost")],
    [
      "an account by a name with an encoded slash",
      "tom",
      `POST ${ACCOUNTS}/plain%2f..%2freader/token`,
      REFUSED,
      tokenOf("reader"),
    ],
    ["an account by a path with dots", "tom", `POST ${ACCOUNTS}/plain/../reader/token`, REFUSED, tokenOf("reader")],
    ["an account in dry run", "tom", `POST ${ACCOUNTS}/reader/token?dryRun=All`, REFUSED, tokenOf("reader")],
    [
      "the account, bound to a pod of another account",
      "tom",
      `POST ${ACCOUNTS}/plain/token`,
      "400 BadRequest",
      tokenOf("plain", { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "of-reader" } }),
    ],
    [
      "the account, bound to a pod that there is not",
      "tom",
      `POST ${ACCOUNTS}/plain/token`,
      "404 NotFound",
      tokenOf("plain", { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "ghost" } }),
    ],
    [
      "the account, bound to a pod by another uid",
      "tom",
      `POST ${ACCOUNTS}/plain/token`,
      "409 Conflict",
      tokenOf("plain", { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "of-plain", uid: "1" } }),
    ],
    [
      "the account, bound to a kind that binds nothing",
      "tom",
      `POST ${ACCOUNTS}/plain/token`,
      "400 BadRequest",
      tokenOf("plain", { boundObjectRef: { apiVersion: "v1", kind: "ConfigMap", name: "x" } }),
    ],
    [
      "the account, bound to a pod of a made-up group",
      "tom",
      `POST ${ACCOUNTS}/plain/token`,
      "400 BadRequest",
      tokenOf("plain", { boundObjectRef: { apiVersion: "x.io/v1", kind: "Pod", name: "of-plain" } }),
    ],
    [
      "the account, that ends before it begins",
      "tom",
      `POST ${ACCOUNTS}/plain/token`,
      "422 Invalid",
      tokenOf("plain", { expirationSeconds: -1 }),
    ],
    [
      "the account, of five minutes",
      "tom",
      `POST ${ACCOUNTS}/plain/token`,
      "422 Invalid",
      tokenOf("plain", { expirationSeconds: 300 }),
    ],
    [
      "the account, for longer than numbers last",
      "tom",
      `POST ${ACCOUNTS}/plain/token`,
      "422 Invalid",
      tokenOf("plain", { expirationSeconds: 4294967297 }),
    ],
    [
      "the account, with a status of the client's own",
      "will",
      `POST ${ACCOUNTS}/plain/token`,
      REFUSED,
      { ...tokenOf("plain"), status: { token: "x" } },
    ],
    ["every account, by the collection", "tom", `POST ${ACCOUNTS}/token`, "403 Forbidden", tokenOf("plain")],
    ["an account, by reading the subresource", "tom", `GET ${ACCOUNTS}/plain/token`, REFUSED],
    [
      "an account, by reviewing it as somebody without right",
      "will",
      "POST /apis/authentication.k8s.io/v1/tokenreviews",
      REFUSED,
      { spec: { token: "x" } },
    ],
  ];
  tryAll(rows, () => arena);

  test("while the account with the right works, so that the rows above fail for the tested reason", async () => {
    const path = `${ACCOUNTS}/plain/token`;
    const taken = await arena.send("tom", { method: "POST", path, body: tokenOf("plain") });
    expect(taken.status, taken.text).toBe(201);
    const { status } = JSON.parse(taken.text) as { status: { token: string } };
    expect((await arena.send(`bearer ${status.token}`, { method: "GET", path: SECRET })).status).toBe(200);
  });
});

/** Makes a token that is good, takes away what it lives by, and tries it again. */
const lost: readonly (readonly [title: string, make: () => Promise<{ token: string; spoil(): Promise<unknown> }>])[] = [
  ["an account that was deleted", async () => made("gone", {}, (path) => arena.make("DELETE", path))],
  [
    "an account that was deleted and made anew",
    async () =>
      made("again", {}, async (path) => {
        await arena.make("DELETE", path);
        await arena.create(ACCOUNTS, { metadata: { name: "again" } });
      }),
  ],
  [
    "an account that was deleted when its finalizer is taken off",
    async () => {
      await arena.create(ACCOUNTS, { metadata: { name: "ending", finalizers: ["example.com/x"] } });
      const token = await arena.token("default", "ending");
      return {
        token,
        spoil: async () => {
          await arena.make("DELETE", `${ACCOUNTS}/ending`);
          await arena.make(
            "PATCH",
            `${ACCOUNTS}/ending`,
            { metadata: { finalizers: null } },
            "application/merge-patch+json",
          );
        },
      };
    },
  ],
  ["a pod that was deleted", async () => bound("pods", "Pod", pod("bound", { serviceAccountName: "plain" }), false)],
  [
    "a pod that was deleted and made anew",
    async () => bound("pods", "Pod", pod("bound-anew", { serviceAccountName: "plain" }), true),
  ],
  ["a secret that was deleted", async () => bound("secrets", "Secret", { metadata: { name: "bound" } }, false)],
  ["a secret that was made anew", async () => bound("secrets", "Secret", { metadata: { name: "bound-anew" } }, true)],
  ["a node that was deleted", async () => boundToNode(false)],
  ["a node that was made anew", async () => boundToNode(true)],
  [
    "a namespace that was deleted",
    async () => {
      await arena.create("/api/v1/namespaces", { metadata: { name: "gone" } });
      await arena.create("/api/v1/namespaces/gone/serviceaccounts", { metadata: { name: "x" } });
      return {
        token: await arena.token("gone", "x"),
        async spoil() {
          await arena.make("DELETE", "/api/v1/namespaces/gone");
          await arena.make("DELETE", "/api/v1/namespaces/gone/serviceaccounts/x");
        },
      };
    },
  ],
];

async function made(name: string, spec: JsonObject, spoil: (path: string) => Promise<unknown>) {
  await arena.create(ACCOUNTS, { metadata: { name } });
  return { token: await arena.token("default", name, spec), spoil: () => spoil(`${ACCOUNTS}/${name}`) };
}

async function bound(resource: string, kind: string, object: JsonObject, again: boolean) {
  const name = (object["metadata"] as { name: string }).name;
  await arena.create(`${CORE}/${resource}`, object);
  const token = await arena.token("default", "plain", { boundObjectRef: { apiVersion: "v1", kind, name } });
  return {
    token,
    async spoil() {
      await arena.make("DELETE", `${CORE}/${resource}/${name}?gracePeriodSeconds=0`);
      if (again) await arena.create(`${CORE}/${resource}`, object);
    },
  };
}

async function boundToNode(again: boolean) {
  const name = again ? "node-again" : "node-gone";
  await arena.create("/api/v1/nodes", { metadata: { name } });
  const token = await arena.token("default", "plain", { boundObjectRef: { apiVersion: "v1", kind: "Node", name } });
  return {
    token,
    async spoil() {
      await arena.make("DELETE", `/api/v1/nodes/${name}`);
      if (again) await arena.create("/api/v1/nodes", { metadata: { name } });
    },
  };
}

describe("a service account token is refused after", () => {
  test.each(lost)("%s", async (title, make) => {
    const { token, spoil } = await make();
    const shot = { method: "GET", path: SECRET };
    expect((await arena.send(`bearer ${token}`, shot)).status, "it was good").toBe(200);
    await spoil();
    await arena.attemptShot(title, `bearer ${token}`, shot, UNKNOWN);
    const review = await call(arena.admin, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } });
    expect(review.at("status.authenticated"), review.text).toBeUndefined();
    expect(JSON.stringify(review.at("status"))).not.toContain(token.split(".")[2]);
  });
});

describe("a service account token in an unexpected place:", () => {
  const rows: readonly (readonly [
    title: string,
    shot: (token: string) => { path: string; headers?: Record<string, string> },
    answer: string,
  ])[] = [
    ["the query", (token) => ({ path: `${SECRET}?access_token=${token}` }), REFUSED],
    ["a cookie", (token) => ({ path: SECRET, headers: { cookie: `token=${token}` } }), REFUSED],
    [
      "Basic",
      (token) => ({
        path: SECRET,
        headers: { authorization: `Basic ${Buffer.from(`x:${token}`).toString("base64")}` },
      }),
      REFUSED,
    ],
    ["no scheme", (token) => ({ path: SECRET, headers: { authorization: token } }), REFUSED],
    ["two spaces", (token) => ({ path: SECRET, headers: { authorization: `Bearer  ${token}` } }), REFUSED],
    [
      "Proxy-Authorization",
      (token) => ({ path: SECRET, headers: { "proxy-authorization": `Bearer ${token}` } }),
      REFUSED,
    ],
    [
      "a WebSocket's protocol without a WebSocket",
      (token) => ({
        path: SECRET,
        headers: {
          "sec-websocket-protocol": `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`,
        },
      }),
      REFUSED,
    ],
  ];
  test.each(rows)("%s", async (title, shot, answer) => {
    const token = await arena.token("default", "reader");
    await arena.attemptShot(title, "nobody", { method: "GET", ...shot(token) }, answer);
  });

  test("for another audience is refused", async () => {
    const token = await arena.token("default", "reader", { audiences: ["vault"] });
    await arena.attempt(["vault", `bearer ${token}`, `GET ${SECRET}`, UNKNOWN]);
  });
});

describe("a Secret of the type for service account tokens", () => {
  const TYPE = "kubernetes.io/service-account-token";
  const ofAccount = (name: string, account: string, more: object = {}) => ({
    metadata: { name, annotations: { "kubernetes.io/service-account.name": account } },
    type: TYPE,
    ...more,
  });
  const rows: readonly Try[] = [
    [
      "a secret that names no account",
      "sue",
      `POST ${CORE}/secrets`,
      "422 Invalid",
      { metadata: { name: "s" }, type: TYPE },
    ],
    [
      "a secret in another namespace",
      "sue",
      "POST /api/v1/namespaces/other/secrets",
      REFUSED,
      ofAccount("s", "reader"),
    ],
    [
      "a secret that becomes one by an update",
      "sue",
      `PUT ${CORE}/secrets/jewel`,
      REFUSED,
      ofAccount("jewel", "reader"),
    ],
    ["a secret without right", "will", `POST ${CORE}/secrets`, REFUSED, ofAccount("s", "reader")],
    ["to read what a secret one may create would hold", "sue", `GET ${CORE}/secrets/s`, REFUSED],
  ];
  tryAll(rows, () => arena);

  test("with a made-up token gives no rights", async () => {
    const data = { token: "made-up" };
    await arena.create(`${CORE}/secrets`, ofAccount("made-up", "reader", { stringData: data }));
    await arena.attempt(["made up", "bearer made-up", `GET ${SECRET}`, UNKNOWN]);
  });
});

test("after these attacks the server has reported no error, and a valid token is still accepted", async () => {
  const token = await arena.token("default", "reader");
  const answer = await arena.send(`bearer ${token}`, { method: "GET", path: SECRET });
  expect(answerOf(answer)).toBe("200");
  expect(arena.faults).toEqual([]);
});
