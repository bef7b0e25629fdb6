import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { create, expectAnswer, expectTaken, merge, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const asked: string[] = [];

let server: AdmittingServer;

/** Users by what is denied them: "delete configmaps". */
const DENIED: Readonly<Record<string, readonly string[]>> = {
  free: [],
  keeper: ["delete configmaps"],
  outsider: ["update deployments/finalizers", "update nodes/finalizers"],
};

beforeAll(async () => {
  server = await admittingServer({ enable: ["OwnerReferencesPermissionEnforcement"] }, undefined, undefined, {
    authorizers: [
      ({ user, verb, resource, subresource, namespace, name, apiGroup, apiVersion }) => {
        const what = `${verb} ${resource}${subresource === "" ? "" : `/${subresource}`}`;
        asked.push(`${what} ${apiGroup}/${apiVersion} ${namespace}/${name}`);
        if (DENIED[user.name]?.includes(what) !== true) return { decision: "allow" };
        return { decision: "no-opinion", reason: "not yours" };
      },
    ],
  });
});

afterAll(() => server[Symbol.asyncDispose]());

beforeEach(() => {
  asked.length = 0;
});

const owner = (more: object = {}): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  name: "d",
  uid: "u",
  ...more,
});
const map = (name: string, ...ownerReferences: object[]): object => ({
  metadata: { name, ...(ownerReferences.length > 0 && { ownerReferences }) },
});
const BLOCKING = owner({ blockOwnerDeletion: true });
const finalizers = (name: string): string =>
  `configmaps "${name}" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: not yours, <nil>`;
const deletion = (name: string): string =>
  `configmaps "${name}" is forbidden: cannot set an ownerRef on a resource you can't delete: not yours, <nil>`;
const unmapped = (apiVersion: string, kind: string): string =>
  `configmaps "m" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind "${kind}" in version "${apiVersion}"`;

describe("OwnerReferencesPermissionEnforcement, for a new object:", () => {
  const rows: readonly (readonly [title: string, user: string, owners: readonly object[], message: string])[] = [
    ["without owners is let pass", "keeper", [], ""],
    ["may have an owner though its creator may not delete it", "keeper", [owner()], ""],
    ["may block an owner whose finalizers its creator may set", "free", [BLOCKING], ""],
    ["may not block an owner whose finalizers its creator may not set", "outsider", [BLOCKING], finalizers("m")],
    ["may name such an owner without blocking it", "outsider", [owner({ blockOwnerDeletion: false })], ""],
    ["may not block the second owner", "outsider", [owner({ uid: "v" }), BLOCKING], finalizers("m")],
    [
      "may not block an owner of the whole cluster",
      "outsider",
      [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u", blockOwnerDeletion: true }],
      finalizers("m"),
    ],
    [
      "may not block an owner of a kind that is not there",
      "free",
      [owner({ kind: "Widget", blockOwnerDeletion: true })],
      unmapped("apps/v1", "Widget"),
    ],
    [
      "may not block an owner of a version that is not there",
      "free",
      [owner({ apiVersion: "apps/v9", blockOwnerDeletion: true })],
      unmapped("apps/v9", "Deployment"),
    ],
    ["may name an owner of a kind that is not there", "free", [owner({ kind: "Widget" })], ""],
  ];
  test.each(rows)("%s", async (_, user, owners, message) => {
    await expectAnswer(tryCreate(server.as(user), MAPS, map("m", ...owners)), message);
  });

  test("checks the right to set finalizers of a namespaced owner in the object's namespace, and of others cluster-wide", async () => {
    const node = { apiVersion: "v1", kind: "Node", name: "n", uid: "v", blockOwnerDeletion: true };
    await expectTaken(tryCreate(server.as("free"), MAPS, map("m", BLOCKING, node)));
    expect(asked.slice(1)).toEqual([
      "update deployments/finalizers apps/v1 default/d",
      "update nodes/finalizers /v1 /n",
    ]);
  });
});

describe("OwnerReferencesPermissionEnforcement, for an update:", () => {
  const before = { none: [], owned: [owner()], blocked: [BLOCKING] };
  const rows: readonly (readonly [
    title: string,
    user: string,
    from: keyof typeof before,
    patch: object,
    refusal: (name: string) => string,
  ])[] = [
    ["of something else is let pass", "keeper", "owned", { data: { a: "b" } }, () => ""],
    ["to the same owners is let pass", "keeper", "owned", { metadata: { ownerReferences: [owner()] } }, () => ""],
    [
      "that adds an owner needs the right to delete",
      "keeper",
      "none",
      { metadata: { ownerReferences: [owner()] } },
      deletion,
    ],
    ["that takes an owner away needs it", "keeper", "owned", { metadata: { ownerReferences: null } }, deletion],
    [
      "to another owner needs it",
      "keeper",
      "owned",
      { metadata: { ownerReferences: [owner({ uid: "w" })] } },
      deletion,
    ],
    [
      "that adds an owner is let pass with that right",
      "outsider",
      "none",
      { metadata: { ownerReferences: [owner()] } },
      () => "",
    ],
    [
      "that blocks the owner needs the right to its finalizers",
      "outsider",
      "owned",
      { metadata: { ownerReferences: [BLOCKING] } },
      finalizers,
    ],
    [
      "that blocks the owner is let pass with both rights",
      "free",
      "owned",
      { metadata: { ownerReferences: [BLOCKING] } },
      () => "",
    ],
    [
      "of an owner that is blocked already needs no right to its finalizers",
      "outsider",
      "blocked",
      { metadata: { ownerReferences: [owner({ blockOwnerDeletion: true, controller: true })] } },
      () => "",
    ],
    [
      "that unblocks the owner needs none either",
      "outsider",
      "blocked",
      { metadata: { ownerReferences: [owner()] } },
      () => "",
    ],
    [
      "that unblocks the owner needs the right to delete",
      "keeper",
      "blocked",
      { metadata: { ownerReferences: [owner()] } },
      deletion,
    ],
  ];
  test.each(rows.map((row, index) => [...row, `c${index}`] as const))(
    "%s",
    async (_, user, from, patch, refusal, name) => {
      await expectTaken(create(server.api, MAPS, map(name, ...before[from])));
      await expectAnswer(merge(server.as(user), `${MAPS}/${name}`, patch), refusal(name));
    },
  );
});
