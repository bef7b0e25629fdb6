import { connect } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerOf, Arena, jewel, MERGE, pod, type Try, tryAll } from "./arena.js";

const CORE = "/api/v1/namespaces/default";
const REFUSED = "403 Forbidden";
const NONE = "404 NotFound";

let arena: Arena;

/** mary reads config maps of one namespace, gets pods (not their subresources) and the path /healthz; wild gets the subresource "*" of pods. */
beforeAll(async () => {
  arena = await Arena.open();
  await arena.create(`${CORE}/serviceaccounts`, { metadata: { name: "default" } });
  await arena.create(`${CORE}/secrets`, jewel("jewel"));
  await arena.create(`${CORE}/secrets`, jewel("a.b"));
  await arena.create(`${CORE}/configmaps`, { metadata: { name: "mine" } });
  await arena.create(`${CORE}/pods`, pod("p"));
  await arena.create("/api/v1/namespaces", { metadata: { name: "secrets" } });
  await arena.create("/api/v1/namespaces/secrets/secrets", jewel("jewel"));
  await arena.allowIn("default", "mary", "get,list,watch configmaps", "get pods");
  await arena.allowIn("default", "gus", "get secrets allowed");
  await arena.allowIn("default", "wat", "watch configmaps");
  await arena.allowIn("default", "liz", "list configmaps");
  await arena.allow("star", "get */proxy", "get pods/*");
  await arena.allow("nora", "get !/healthz", "get !/metrics/*");
  await arena.allow("ned", "get namespaces default");
});

afterAll(() => arena[Symbol.asyncDispose]());

/** The server answers what Kubernetes' mux and its request info make of a path: nothing on the way makes it another path. */
describe("a request path that is spelled like another gives no further rights", () => {
  const rows: readonly Try[] = [
    ["the plain path", "mary", `GET ${CORE}/secrets/jewel`, REFUSED],
    ["with a slash at its end", "mary", `GET ${CORE}/secrets/jewel/`, REFUSED],
    ["with two slashes at its beginning", "mary", `GET /${CORE}/secrets/jewel`, REFUSED],
    ["with two slashes before the resource", "mary", `GET ${CORE}//secrets/jewel`, REFUSED],
    ["with two slashes before the name", "mary", `GET ${CORE}/secrets//jewel`, REFUSED],
    ["with two slashes behind the group", "mary", "GET /api//v1/namespaces/default/secrets/jewel", REFUSED],
    ["with an empty namespace", "mary", "GET /api/v1/namespaces//secrets/jewel", REFUSED],
    ["by way of what is allowed", "mary", `GET ${CORE}/configmaps/../secrets/jewel`, REFUSED],
    ["by way of a config map", "mary", `GET ${CORE}/configmaps/mine/../../secrets/jewel`, REFUSED],
    ["by way of what is allowed, encoded", "mary", `GET ${CORE}/configmaps/%2e%2e/secrets/jewel`, REFUSED],
    ["by way of it, encoded with capitals", "mary", `GET ${CORE}/configmaps/%2E%2E/secrets/jewel`, REFUSED],
    ["by way of it, half encoded", "mary", `GET ${CORE}/configmaps/.%2e/secrets/jewel`, REFUSED],
    ["by way of it, encoded twice", "mary", `GET ${CORE}/configmaps/%252e%252e/secrets/jewel`, REFUSED],
    ["by way of an encoded slash", "mary", `GET ${CORE}/configmaps/..%2fsecrets%2fjewel`, "400 BadRequest"],
    ["by way of an encoded slash, as the whole", "mary", `GET ${CORE}/configmaps%2f..%2fsecrets/jewel`, REFUSED],
    ["by way of an encoded backslash", "mary", `GET ${CORE}/configmaps/..%5csecrets%5cjewel`, NONE],
    ["with a dot", "mary", `GET ${CORE}/./secrets/jewel`, REFUSED],
    ["with a letter encoded", "mary", `GET ${CORE}/%73ecrets/jewel`, REFUSED],
    ["with all letters encoded", "mary", "GET /%61%70%69/v1/namespaces/default/secrets/jewel", REFUSED],
    ["with a letter encoded twice", "mary", `GET ${CORE}/%2573ecrets/jewel`, REFUSED],
    ["with the resource in capitals", "mary", `GET ${CORE}/Secrets/jewel`, REFUSED],
    ["with the prefix in capitals", "mary", "GET /API/v1/namespaces/default/secrets/jewel", REFUSED],
    ["with the version in capitals", "mary", "GET /api/V1/namespaces/default/secrets/jewel", REFUSED],
    ["with the singular", "mary", `GET ${CORE}/secret/jewel`, REFUSED],
    ["with a parameter of a segment", "mary", `GET ${CORE}/secrets;x=configmaps/jewel`, REFUSED],
    ["with a parameter before the name", "mary", `GET ${CORE}/configmaps;/../secrets/jewel`, REFUSED],
    ["with a parameter behind the name", "gus", `GET ${CORE}/secrets/jewel;allowed`, REFUSED],
    ["with an extension", "mary", `GET ${CORE}/secrets/jewel.json`, REFUSED],
    ["with a null byte behind what is allowed", "gus", `GET ${CORE}/secrets/allowed%00jewel`, REFUSED],
    ["with a null byte behind the resource", "mary", `GET ${CORE}/configmaps%00/../secrets/jewel`, REFUSED],
    ["with a line's end", "mary", `GET ${CORE}/configmaps%0d%0a/mine`, REFUSED],
    ["with a percent sign that means nothing", "mary", `GET ${CORE}/secrets/jewel%`, "400"],
    [
      "with one byte in two, as old decoders took it",
      "mary",
      `GET ${CORE}/configmaps/%c0%ae%c0%ae/secrets/jewel`,
      REFUSED,
    ],
    ["with a letter of full width", "mary", `GET ${CORE}/%EF%BD%93ecrets/jewel`, REFUSED],
    ["with a question mark encoded", "mary", `GET ${CORE}/secrets/jewel%3fx`, REFUSED],
    ["with a fragment", "mary", `GET ${CORE}/secrets/jewel%23`, REFUSED],
    ["as an address", "mary", `GET https://127.0.0.1${CORE}/secrets/jewel`, REFUSED],
    ["of a group that has the resource not", "mary", "GET /apis/apps/v1/namespaces/default/secrets/jewel", REFUSED],
    ["of the core group by its name", "mary", "GET /apis/core/v1/namespaces/default/secrets/jewel", REFUSED],
    ["of an empty group", "mary", "GET /apis//v1/namespaces/default/secrets/jewel", REFUSED],
    ["of the internal version", "mary", "GET /api/__internal/namespaces/default/secrets/jewel", REFUSED],
    ["of all namespaces, as a namespace", "mary", "GET /api/v1/namespaces/*/secrets", REFUSED],
    ["of a namespace with a comma", "mary", "GET /api/v1/namespaces/default,secrets/secrets", REFUSED],
    ["of all secrets", "mary", "GET /api/v1/secrets", REFUSED],
    ["of a name without a namespace", "mary", "GET /api/v1/secrets/jewel", REFUSED],
    ["of a namespace called as a resource", "mary", "GET /api/v1/namespaces/secrets/secrets/jewel", REFUSED],
    ["of a namespace's subresource that is none", "ned", `GET ${CORE}/secrets`, REFUSED],
    ["of a namespace's status", "ned", `GET ${CORE}/status`, REFUSED],
    ["of a namespace in a namespace", "ned", "GET /api/v1/namespaces/default/namespaces/kube-system", REFUSED],
    ["of a node in a namespace", "ned", "GET /api/v1/namespaces/default/nodes/n", REFUSED],
    [
      "of a cluster role in a namespace",
      "mary",
      "GET /apis/rbac.authorization.k8s.io/v1/namespaces/default/clusterroles/admin",
      REFUSED,
    ],
    ["of a secret whose name has a dot", "gus", `GET ${CORE}/secrets/a.b`, REFUSED],
    ["of a subresource that there is not", "mary", `GET ${CORE}/configmaps/mine/secrets`, REFUSED],
    ["of a proxy below what is allowed", "mary", `GET ${CORE}/pods/p/proxy/../../../secrets/jewel`, REFUSED],
    ["of a subresource by a right to all, of another resource", "star", `GET ${CORE}/secrets/jewel`, REFUSED],
    ["of the resource itself by a right to its subresources", "star", `GET ${CORE}/pods/p`, REFUSED],
    ["of a star as a subresource", "mary", `GET ${CORE}/pods/p/*`, REFUSED],
    ["of a log by a right to the pod", "mary", `GET ${CORE}/pods/p/log`, REFUSED],
    ["of a log with a slash more", "mary", `GET ${CORE}/pods/p//log`, NONE],
    ["of a path that begins like what is allowed", "nora", "GET /healthz/../metrics", REFUSED],
    ["of a path below what is allowed, encoded", "nora", "GET /healthz%2f..%2fmetrics", REFUSED],
    ["of a resource below an allowed path", "nora", `GET /metrics/..${CORE}/secrets/jewel`, "404"],
    ["of another path", "nora", "GET /logs/", REFUSED],
    ["of the profiler", "mary", "GET /debug/pprof/", REFUSED],
    ["of the flags", "mary", "GET /flagz", REFUSED],
    ["of the metrics", "mary", "GET /metrics", REFUSED],
  ];
  tryAll(rows, () => arena);
});

describe("an HTTP method or verb that looks like another gives no further rights", () => {
  const over = (headers: Readonly<Record<string, string>>) => [undefined, { headers }] as const;
  const rows: readonly Try[] = [
    [
      "a method in a header, read as a delete",
      "mary",
      `GET ${CORE}/configmaps/mine`,
      "200",
      ...over({ "X-HTTP-Method-Override": "DELETE" }),
    ],
    [
      "a method in another header",
      "mary",
      `GET ${CORE}/configmaps/mine`,
      "200",
      ...over({ "X-Method-Override": "DELETE", "X-HTTP-Method": "DELETE" }),
    ],
    ["a method in the query", "mary", `GET ${CORE}/configmaps/mine?_method=DELETE`, "200"],
    [
      "a POST that would be a GET",
      "mary",
      `POST ${CORE}/secrets/jewel`,
      REFUSED,
      {},
      { headers: { "X-HTTP-Method-Override": "GET" } },
    ],
    [
      "a path in a header",
      "mary",
      `GET ${CORE}/configmaps/mine`,
      "200",
      ...over({ "X-Original-URL": `${CORE}/secrets/jewel`, "X-Rewrite-URL": `${CORE}/secrets/jewel` }),
    ],
    ["HEAD of a secret", "mary", `HEAD ${CORE}/secrets/jewel`, "403"],
    ["HEAD of the list", "mary", `HEAD ${CORE}/secrets`, "403"],
    ["OPTIONS of a secret", "mary", `OPTIONS ${CORE}/secrets/jewel`, REFUSED],
    ["OPTIONS of what is allowed to be read", "mary", `OPTIONS ${CORE}/configmaps/mine`, REFUSED],
    ["TRACE", "mary", `TRACE ${CORE}/secrets/jewel`, REFUSED],
    ["a method of another protocol", "mary", `PROPFIND ${CORE}/secrets/jewel`, REFUSED],
    ["a watch by who may list", "liz", `GET ${CORE}/configmaps?watch=1`, REFUSED],
    ["a watch of an empty value by who may list", "liz", `GET ${CORE}/configmaps?watch=`, REFUSED],
    ["a watch written true", "liz", `GET ${CORE}/configmaps?watch=true`, REFUSED],
    ["a watch asked for twice", "liz", `GET ${CORE}/configmaps?watch=1&watch=0`, REFUSED],
    ["a watch by the old path", "liz", "GET /api/v1/watch/namespaces/default/configmaps", REFUSED],
    ["a watch of a name by the old path", "liz", "GET /api/v1/watch/namespaces/default/configmaps/mine", REFUSED],
    ["a list by who may watch", "wat", `GET ${CORE}/configmaps`, REFUSED],
    ["a list that says it is no watch", "wat", `GET ${CORE}/configmaps?watch=0`, REFUSED],
    ["a list that says false", "wat", `GET ${CORE}/configmaps?watch=FALSE`, REFUSED],
    ["a get by who may list", "liz", `GET ${CORE}/configmaps/mine`, REFUSED],
    ["a watch of one by a name in the path", "liz", `GET ${CORE}/configmaps/mine?watch=1`, REFUSED],
    ["secrets by the old path", "mary", "GET /api/v1/watch/namespaces/default/secrets", REFUSED],
    ["secrets of all by the old path", "mary", "GET /api/v1/watch/secrets", REFUSED],
    ["a name twice by the old path", "mary", "GET /api/v1/watch/watch/secrets", REFUSED],
    [
      "a write by the old path by who may not watch",
      "liz",
      "DELETE /api/v1/watch/namespaces/default/configmaps/mine",
      REFUSED,
    ],
    [
      "a write by the old path",
      "mary",
      "DELETE /api/v1/watch/namespaces/default/configmaps/mine",
      "405 MethodNotAllowed",
    ],
    ["a create by PUT", "mary", `PUT ${CORE}/configmaps/new`, REFUSED, { metadata: { name: "new" } }],
    ["a create by a patch", "mary", `PATCH ${CORE}/configmaps/new`, REFUSED, {}, { type: MERGE }],
    ["a delete of all by who may get", "mary", `DELETE ${CORE}/configmaps`, REFUSED],
    [
      "a delete of all with a name in a selector",
      "mary",
      `DELETE ${CORE}/configmaps?fieldSelector=metadata.name%3Dmine`,
      REFUSED,
    ],
    ["exec by who may get pods", "mary", `GET ${CORE}/pods/p/exec?command=ls`, REFUSED],
    ["attach by who may get pods", "mary", `GET ${CORE}/pods/p/attach`, REFUSED],
    ["a port-forward by who may get pods", "mary", `GET ${CORE}/pods/p/portforward`, REFUSED],
    ["a proxy by who may get pods", "mary", `GET ${CORE}/pods/p/proxy/`, REFUSED],
  ];
  tryAll(rows, () => arena);
});

describe("over HTTP/2, a path that is spelled like another gives no further rights", () => {
  const rows: readonly (readonly [title: string, headers: Readonly<Record<string, string>>])[] = [
    ["a path with dots", { ":path": `${CORE}/configmaps/../secrets/jewel` }],
    ["a path with a slash more", { ":path": `/${CORE}/secrets/jewel` }],
    ["another authority", { ":path": `${CORE}/secrets/jewel`, ":authority": "localhost" }],
    ["another scheme", { ":path": `${CORE}/secrets/jewel`, ":scheme": "http" }],
    [
      "a scheme with a path in it",
      { ":path": `${CORE}/secrets/jewel`, ":scheme": `https://x${CORE}/configmaps/mine?` },
    ],
    ["a method in small letters", { ":path": `${CORE}/secrets/jewel`, ":method": "get" }],
    ["a method with a path in it", { ":path": `${CORE}/configmaps/mine`, ":method": `GET ${CORE}/secrets/jewel` }],
    ["a path without a slash", { ":path": `${CORE.slice(1)}/secrets/jewel` }],
    ["an empty path", { ":path": "" }],
    ["a star as the path", { ":path": "*", ":method": "OPTIONS" }],
    ["a path with a blank and a version", { ":path": `${CORE}/secrets/jewel HTTP/1.1` }],
    ["a host that is another than the authority", { ":path": `${CORE}/secrets/jewel`, host: "example.com" }],
  ];
  test.each(rows)("%s", async (title, headers) => {
    const before = await arena.revision();
    const { certificate, key } = arena.certificateOf("mary");
    const session = connect(arena.cluster.url, { ca: arena.cluster.caCertificate, cert: certificate, key });
    session.on("error", () => {});
    const answer = await new Promise<{ status: number; text: string }>((resolve) => {
      const stream = session.request({ accept: "application/json", ...headers });
      let [status, text] = [0, ""];
      stream.on("response", (head) => (status = head[":status"] ?? 0));
      stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      stream.on("error", () => {}).on("close", () => resolve({ status, text }));
      stream.end();
    });
    session.destroy();
    // A status of 0 is a stream that was reset.
    expect(["0", "400", REFUSED, "400 BadRequest", "404", NONE, "405"], `${title}: ${answer.text}`).toContain(
      answerOf(answer),
    );
    arena.holdsNoSecret({ ...answer, headers: {} });
    expect(await arena.revision()).toBe(before);
  });
});

test("the rights that these tests rely on exist", async () => {
  for (const [who, path] of [
    ["mary", `${CORE}/configmaps/mine`],
    ["mary", `${CORE}/pods/p`],
    ["liz", `${CORE}/configmaps`],
    ["nora", "/healthz"],
    ["ned", CORE],
  ] as const) {
    expect((await arena.send(who, { method: "GET", path })).status, path).toBe(200);
  }
  expect(arena.faults).toEqual([]);
});
