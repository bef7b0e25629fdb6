import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configFromText, kubernetesClient } from "../../src/client/index.js";
import { call } from "../helpers/api-caller.js";
import { Arena, jewel, type Try, tryAll, textIn } from "./arena.js";

const CORE = "/api/v1/namespaces/default";
const OTHER = "/api/v1/namespaces/other";
const REFUSED = "403 Forbidden";
const BAD = "400 BadRequest";

let arena: Arena;

/** nan gets, lists and watches the secret "allowed" by name; lou lists secrets of one namespace; del deletes them all there. */
beforeAll(async () => {
  arena = await Arena.open();
  await arena.create("/api/v1/namespaces", { metadata: { name: "other" } });
  for (const name of ["allowed", "allowed2", "third"])
    await arena.create(`${CORE}/secrets`, { metadata: { name, labels: { a: "b" } } });
  await arena.create(`${OTHER}/secrets`, jewel("jewel"));
  await arena.create(`${CORE}/secrets`, jewel("jewel"));
  await arena.allowIn("default", "nan", "get,list,watch,delete,deletecollection secrets allowed");
  await arena.allowIn("default", "pam", "list,watch configmaps");
  await arena.allowIn("other", "lou", "list,watch configmaps");
  await arena.allowIn("default", "lou", "list,watch configmaps");
  await arena.allowIn("default", "del", "delete,get,list secrets");
  for (const [path, name] of [
    [CORE, "a"],
    [CORE, "b"],
    [OTHER, "c"],
  ] as const) {
    await arena.create(`${path}/configmaps`, {
      metadata: { name },
      data: { of: path === OTHER ? "crown-jewel-5d1e77" : "" },
    });
  }
});

afterAll(() => arena[Symbol.asyncDispose]());

const field = (text: string): string => `fieldSelector=${encodeURIComponent(text)}`;

describe("a selector cannot widen a right that is limited to one object name", () => {
  const rows: readonly Try[] = [
    ["no selector", "nan", `GET ${CORE}/secrets`, REFUSED],
    ["another name", "nan", `GET ${CORE}/secrets?${field("metadata.name=jewel")}`, REFUSED],
    ["every other name", "nan", `GET ${CORE}/secrets?${field("metadata.name!=allowed")}`, REFUSED],
    [
      "the name in another selector's value",
      "nan",
      `GET ${CORE}/secrets?${field("metadata.namespace=allowed")}`,
      REFUSED,
    ],
    ["the name as a label", "nan", `GET ${CORE}/secrets?labelSelector=metadata.name%3Dallowed`, REFUSED],
    [
      "a second selector before the right one",
      "nan",
      `GET ${CORE}/secrets?${field("metadata.name=jewel")}&${field("metadata.name=allowed")}`,
      REFUSED,
    ],
    [
      "a second selector behind another",
      "nan",
      `GET ${CORE}/secrets?${field("")}&${field("metadata.name=allowed")}`,
      REFUSED,
    ],
    ["another spelling of the parameter", "nan", `GET ${CORE}/secrets?FieldSelector=metadata.name%3Dallowed`, REFUSED],
    ["the name in all namespaces", "nan", `GET /api/v1/secrets?${field("metadata.name=allowed")}`, REFUSED],
    ["the name in another namespace", "nan", `GET ${OTHER}/secrets?${field("metadata.name=allowed")}`, REFUSED],
    [
      "a namespace in the selector",
      "nan",
      `GET /api/v1/secrets?${field("metadata.namespace=default,metadata.name=allowed")}`,
      REFUSED,
    ],
    [
      "two names, as two requirements",
      "nan",
      `GET ${CORE}/secrets?${field("metadata.name=allowed,metadata.name!=x")}`,
      "200",
    ],
    [
      "two names that exclude each other, which select nothing",
      "nan",
      `GET ${CORE}/secrets?${field("metadata.name=allowed,metadata.name=jewel")}`,
      "200",
    ],
    ["a name that begins with it", "nan", `GET ${CORE}/secrets?${field("metadata.name=allowed2")}`, REFUSED],
    [
      "an escaped comma behind the name",
      "nan",
      `GET ${CORE}/secrets?${field("metadata.name=allowed\\,jewel")}`,
      REFUSED,
    ],
    ["a blank before the name", "nan", `GET ${CORE}/secrets?${field("metadata.name= allowed")}`, REFUSED],
    ["a name of dots", "nan", `GET ${CORE}/secrets?${field("metadata.name=../secrets/jewel")}`, REFUSED],
    ["a selector that cannot be read", "nan", `GET ${CORE}/secrets?${field("metadata.name")}`, REFUSED],
    [
      "a selector of a field that there is not, with a right to nothing",
      "nan",
      `GET ${CORE}/secrets?${field("data.password=x")}`,
      REFUSED,
    ],
    [
      "a selector of the value, by who may list another kind",
      "pam",
      `GET ${CORE}/configmaps?${field("data.of=x")}`,
      BAD,
    ],
    ["a watch of another name", "nan", `GET ${CORE}/secrets?watch=1&${field("metadata.name=jewel")}`, REFUSED],
    ["a watch of all", "nan", `GET ${CORE}/secrets?watch=1`, REFUSED],
    [
      "a watch with all initial events",
      "nan",
      `GET ${CORE}/secrets?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      REFUSED,
    ],
    [
      "a get of another name with a selector",
      "nan",
      `GET ${CORE}/secrets/jewel?${field("metadata.name=allowed")}`,
      REFUSED,
    ],
    [
      "the name by the old path of watches",
      "nan",
      `GET /api/v1/watch/namespaces/default/secrets?${field("metadata.name=allowed")}`,
      REFUSED,
    ],
    [
      "the deletion of the name by a selector, which is no name for a deletion",
      "nan",
      `DELETE ${CORE}/secrets?${field("metadata.name=allowed")}`,
      REFUSED,
    ],
    ["the deletion of all", "nan", `DELETE ${CORE}/secrets`, REFUSED],
    ["the deletion of another by a selector", "nan", `DELETE ${CORE}/secrets?${field("metadata.name=jewel")}`, REFUSED],
    ["the deletion of all by a label", "nan", `DELETE ${CORE}/secrets?labelSelector=a%3Db`, REFUSED],
    ["the deletion of all by who may delete each", "del", `DELETE ${CORE}/secrets`, REFUSED],
    ["the deletion of all in dry run", "del", `DELETE ${CORE}/secrets?dryRun=All`, REFUSED],
    [
      "the deletion of all, with options that ask for a name",
      "del",
      `DELETE ${CORE}/secrets`,
      REFUSED,
      { kind: "DeleteOptions", apiVersion: "v1", preconditions: {} },
    ],
    ["a page of all", "nan", `GET ${CORE}/secrets?limit=1`, REFUSED],
    [
      "metadata alone",
      "nan",
      `GET ${CORE}/secrets/jewel`,
      REFUSED,
      undefined,
      { headers: { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" } },
    ],
    [
      "a table",
      "nan",
      `GET ${CORE}/secrets`,
      REFUSED,
      undefined,
      { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } },
    ],
    ["a version of before", "nan", `GET ${CORE}/secrets/jewel?resourceVersion=0`, REFUSED],
    ["any version, from the cache", "nan", `GET ${CORE}/secrets?resourceVersion=0`, REFUSED],
    ["an exact version", "nan", `GET ${CORE}/secrets?resourceVersion=1&resourceVersionMatch=Exact`, REFUSED],
    ["a chunk by a token of nonsense", "pam", `GET ${CORE}/configmaps?limit=1&continue=nonsense`, BAD],
  ];
  tryAll(rows, () => arena);

  test("while the limited right itself works", async () => {
    const answer = await arena.send("nan", {
      method: "GET",
      path: `${CORE}/secrets?${field("metadata.name=allowed")}`,
    });
    expect(
      (JSON.parse(answer.text) as { items: { metadata: { name: string } }[] }).items.map(
        ({ metadata }) => metadata.name,
      ),
    ).toEqual(["allowed"]);
  });
});

describe("the continue token of a list", () => {
  const page = async (who: string, path: string): Promise<string> => {
    const { text } = await arena.send(who, { method: "GET", path: `${path}?limit=1` });
    return encodeURIComponent((JSON.parse(text) as { metadata: { continue: string } }).metadata.continue);
  };

  test("of the user's own namespace continues only there, and returns nothing of another", async () => {
    const token = await page("pam", `${CORE}/configmaps`);
    await arena.attempt(["another namespace", "pam", `GET ${OTHER}/configmaps?limit=5&continue=${token}`, REFUSED]);
    await arena.attempt(["all namespaces", "pam", `GET /api/v1/configmaps?limit=5&continue=${token}`, REFUSED]);
    await arena.attempt(["another kind", "pam", `GET ${CORE}/secrets?limit=5&continue=${token}`, REFUSED]);
  });

  test("of all namespaces, made by an administrator, returns one namespace's objects to a user who may list only that", async () => {
    const made = await call(arena.admin, "GET", "/api/v1/configmaps?limit=1");
    const token = encodeURIComponent(textIn(made, "metadata.continue"));
    const answer = await arena.send("pam", { method: "GET", path: `${CORE}/configmaps?limit=500&continue=${token}` });
    expect([200, 400, 410]).toContain(answer.status);
    arena.holdsNoSecret(answer);
    if (answer.status !== 200) return;
    const { items } = JSON.parse(answer.text) as { items: { metadata: { namespace: string } }[] };
    expect(items.filter(({ metadata }) => metadata.namespace !== "default")).toEqual([]);
  });

  const forged: readonly (readonly [title: string, start: string])[] = [
    ["that begins in another namespace", "other/\0"],
    ["that begins at another kind", "../secrets/default/\0"],
    ["that begins below another kind, encoded", "/../../secrets/default/jewel\0"],
    ["that begins with a slash", "/registry/secrets/\0"],
    ["that begins before everything", "\0"],
    ["that begins nowhere", ""],
  ];
  test.each(forged)("%s, forged by the client, is refused or harmless", async (_, start) => {
    const revision = Number(await arena.revision());
    const token = Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
    const answer = await arena.send("pam", { method: "GET", path: `${CORE}/configmaps?limit=500&continue=${token}` });
    expect([200, 400, 410]).toContain(answer.status);
    arena.holdsNoSecret(answer);
    const { items = [] } = JSON.parse(answer.text) as { items?: { metadata: { namespace: string } }[] };
    expect(items.filter(({ metadata }) => metadata.namespace !== "default")).toEqual([]);
  });
});

describe("a watch whose user loses the right", () => {
  test("stays open, as in Kubernetes; a new one is refused", async () => {
    await arena.allowIn("default", "eva", "list,watch configmaps");
    const client = kubernetesClient(await configFromText(arena.cluster.kubeconfig({ user: "eva" })));
    const maps = client.of("v1", "ConfigMap").namespace("default");
    const { metadata } = await maps.list();
    const watching = maps.watch({ resourceVersion: metadata?.resourceVersion ?? "" })[Symbol.asyncIterator]();
    const first = watching.next();
    // The first event shows that the watch is open.
    await arena.create(`${CORE}/configmaps`, { metadata: { name: "before" } });
    expect((await first).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "before" } } });
    const bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
    const found = await call(arena.admin, "GET", bindings);
    const names = (JSON.parse(found.text) as { items: { metadata: { name: string } }[] }).items.map(
      (item) => item.metadata.name,
    );
    for (const name of names.filter((one) => one.includes("-eva-"))) await arena.make("DELETE", `${bindings}/${name}`);
    const next = watching.next();
    await arena.create(`${CORE}/configmaps`, { metadata: { name: "after" } });
    expect((await next).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "after" } } });
    await arena.attempt(["again", "eva", `GET ${CORE}/configmaps?watch=1`, REFUSED]);
    await watching.return?.();
    await client.close();
  });
});

test("the attacks by selectors in this file made the server report no error", () => {
  expect(arena.faults).toEqual([]);
});
