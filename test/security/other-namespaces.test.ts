import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { releaseOf } from "../../src/api/facts/index.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import {
  APPLY,
  Arena,
  bindingOf,
  JSON_PATCH,
  MERGE,
  pod,
  RBAC,
  type Received,
  STRATEGIC,
  type Try,
  tryAll,
} from "./arena.js";

// What a server is by default.
const release = await releaseOf();

const IN = "/api/v1/namespaces/default";
const APPS = "/apis/apps/v1/namespaces/default";
const REVIEWS = "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews";
const CREATED = "the namespace of the provided object does not match the namespace sent on the request";
const CHANGED = "the namespace of the object (other) does not match the namespace on the request (default)";

let arena: Arena;

const target = { apiVersion: "v1", kind: "Node", name: "n" };
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = { metadata: { name: "web" }, spec: { selector: { matchLabels: { a: "b" } }, template } };
const scale = (metadata: object): JsonObject => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "web", ...metadata },
  spec: { replicas: 5 },
});

/** ed has "edit" in default and lena may do everything there; none of them has a right in "other". */
beforeAll(async () => {
  arena = await Arena.open();
  await arena.create("/api/v1/namespaces", { metadata: { name: "other" } });
  await arena.create(`${RBAC}/namespaces/default/rolebindings`, bindingOf("ed", "ClusterRole/edit", "ed"));
  await arena.allowIn("default", "lena", "* *:*");
  await arena.create("/api/v1/nodes", { metadata: { name: "n" } });
  for (const namespace of ["default", "other"]) {
    await arena.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "robot" } });
    for (const name of ["web", "spare"]) {
      await arena.create(`/api/v1/namespaces/${namespace}/pods`, pod(name, { serviceAccountName: "robot" }));
    }
    await arena.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, deployment);
  }
});

afterAll(() => arena[Symbol.asyncDispose]());

const messageOf = ({ text }: Received): string => (JSON.parse(text) as { message: string }).message;

const elsewhere = { name: "web", namespace: "other" };
const posted: readonly Try[] = [
  ["an eviction", "ed", `POST ${IN}/pods/web/eviction`, "400 BadRequest", { metadata: elsewhere }],
  [
    "an eviction of an older version",
    "ed",
    `POST ${IN}/pods/web/eviction`,
    "400 BadRequest",
    { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: elsewhere },
  ],
  [
    "an eviction in dry run",
    "ed",
    `POST ${IN}/pods/web/eviction?dryRun=All`,
    "400 BadRequest",
    { metadata: elsewhere },
  ],
  ["a binding of a pod", "lena", `POST ${IN}/pods/web/binding`, "400 BadRequest", { metadata: elsewhere, target }],
  ["a binding", "lena", `POST ${IN}/bindings`, "400 BadRequest", { metadata: elsewhere, target }],
  [
    "a token",
    "lena",
    `POST ${IN}/serviceaccounts/robot/token`,
    "400 BadRequest",
    { metadata: { name: "robot", namespace: "other" } },
  ],
  [
    "a review of a namespace",
    "lena",
    `POST ${REVIEWS}`,
    "400 BadRequest",
    {
      metadata: { namespace: "other" },
      spec: { user: "x", resourceAttributes: { namespace: "default", verb: "get", resource: "pods" } },
    },
  ],
];

describe("a POST of an object that names another namespace than the path is refused", () => {
  test.each(posted.map((row) => ({ title: row[0], row })))("for $title", async ({ row }) => {
    expect(messageOf(await arena.attempt(row))).toBe(CREATED);
  });

  test("for all resources and subresources whose POST stores another kind or nothing", () => {
    const asked = new Set(
      release.resources().flatMap(({ name, namespaced, verbs, subresources }) => {
        const isOnlyPosted = namespaced && verbs.length === 1 && verbs[0] === "create";
        const posts = subresources.filter((one) => one.verbs.includes("create") && !one.kind.kind.endsWith("Options"));
        return [...(isOnlyPosted ? [name] : []), ...posts.map((one) => `${name}/${one.name}`)];
      }),
    );
    const tried = new Set(
      posted.map(([, , request]) => {
        const [resource = "", , subresource] = (request.split("namespaces/default/")[1] ?? "").split(/[/?]/);
        return subresource === undefined ? resource : `${resource}/${subresource}`;
      }),
    );
    expect([...tried].sort()).toEqual([...asked].sort());
  });

  test("and is accepted when the object names the namespace of its path, or none", async () => {
    for (const [path, body] of [
      ["pods/web/eviction", { metadata: { name: "web" } }],
      ["pods/web/eviction", { metadata: { name: "web", namespace: "default" } }],
      ["pods/spare/binding", { metadata: { name: "spare", namespace: "default" }, target }],
      ["serviceaccounts/robot/token", {}],
      ["serviceaccounts/robot/token", { metadata: { name: "robot", namespace: "default" } }],
    ] as const) {
      const answer = await arena.send("lena", { method: "POST", path: `${IN}/${path}?dryRun=All`, body });
      expect(answer.status, `${path}: ${answer.text}`).toBe(201);
    }
  });
});

describe("a write of an object that names another name than the path is refused", () => {
  const rows: readonly Try[] = [
    ["an eviction", "ed", `POST ${IN}/pods/web/eviction`, "400 BadRequest", { metadata: { name: "spare" } }],
    ["an eviction without a name", "ed", `POST ${IN}/pods/web/eviction`, "400 BadRequest", {}],
    ["a binding", "lena", `POST ${IN}/pods/web/binding`, "400 BadRequest", { metadata: { name: "spare" }, target }],
    ["a token", "lena", `POST ${IN}/serviceaccounts/robot/token`, "422 Invalid", { metadata: { name: "default" } }],
    ["a scale", "ed", `PUT ${APPS}/deployments/web/scale`, "400 BadRequest", scale({ name: "spare" })],
    [
      "a scale that is patched",
      "ed",
      `PATCH ${APPS}/deployments/web/scale`,
      "400 BadRequest",
      { metadata: { name: "spare" } },
      { type: MERGE },
    ],
    [
      "a scale that is applied",
      "ed",
      `PATCH ${APPS}/deployments/web/scale?fieldManager=m&force=true`,
      "400 BadRequest",
      scale({ name: "spare" }),
      { type: APPLY },
    ],
  ];
  tryAll(rows, () => arena);
});

describe("a change of an object that names another namespace than the path is refused", () => {
  const rows: readonly Try[] = [
    ["a scale", "ed", `PUT ${APPS}/deployments/web/scale`, "400 BadRequest", scale(elsewhere)],
    [
      "a scale by a merge patch",
      "ed",
      `PATCH ${APPS}/deployments/web/scale`,
      "400 BadRequest",
      { metadata: { namespace: "other" }, spec: { replicas: 5 } },
      { type: MERGE },
    ],
    [
      "a scale by a strategic merge patch",
      "ed",
      `PATCH ${APPS}/deployments/web/scale`,
      "400 BadRequest",
      { metadata: { namespace: "other" }, spec: { replicas: 5 } },
      { type: STRATEGIC },
    ],
    [
      "a scale by a JSON patch",
      "ed",
      `PATCH ${APPS}/deployments/web/scale`,
      "400 BadRequest",
      [{ op: "replace", path: "/metadata/namespace", value: "other" }],
      { type: JSON_PATCH },
    ],
    [
      "a scale by an apply",
      "ed",
      `PATCH ${APPS}/deployments/web/scale?fieldManager=m&force=true`,
      "400 BadRequest",
      scale(elsewhere),
      { type: APPLY },
    ],
    ["a status", "lena", `PUT ${IN}/pods/web/status`, "400 BadRequest", pod("web", {}, { namespace: "other" })],
    [
      "ephemeral containers",
      "lena",
      `PUT ${IN}/pods/web/ephemeralcontainers`,
      "400 BadRequest",
      pod("web", {}, { namespace: "other" }),
    ],
    [
      "resources",
      "lena",
      `PATCH ${IN}/pods/web/resize`,
      "400 BadRequest",
      { metadata: { namespace: "other" } },
      { type: STRATEGIC },
    ],
    [
      "the object itself",
      "ed",
      `PUT ${APPS}/deployments/web`,
      "400 BadRequest",
      { ...deployment, metadata: elsewhere },
    ],
  ];
  test.each(rows.map((row) => ({ title: row[0], row })))("$title", async ({ row }) => {
    expect(messageOf(await arena.attempt(row))).toBe(CHANGED);
  });
});

test("after these attacks the pods of both namespaces still exist, and the server reported no error", async () => {
  for (const namespace of ["default", "other"]) {
    const path = `/api/v1/namespaces/${namespace}/pods/web`;
    expect((await arena.make("GET", path)).at("metadata.deletionTimestamp")).toBeUndefined();
  }
  expect(arena.faults).toEqual([]);
});
