import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { boxDefinition, boxesOf, DEFINITIONS, install, versionOf } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";
import { bindingWith, enforce, validatingPolicy } from "../../helpers/policies.js";

let cluster: Cluster;
let api: Transport;
const reported: string[] = [];

beforeAll(async () => {
  cluster = await startCluster({
    port: false,
    controllers: false,
    onError: (error) => void reported.push(String(error)),
  });
  api = cluster.transport();
});
afterAll(() => cluster.close());

/** Denies updates of these resources of apiextensions.k8s.io for which the expression is false. */
const denying = (resources: readonly string[], expression = "false") =>
  enforce(
    api,
    "validating",
    [
      validatingPolicy({
        matchConstraints: {
          resourceRules: [
            { apiGroups: ["apiextensions.k8s.io"], apiVersions: ["v1"], operations: ["UPDATE"], resources },
          ],
        },
        validations: [{ expression, message: "definitions are frozen" }],
      }),
    ],
    [bindingWith("validating")],
  );

const isGone = (name: string) =>
  eventually(async () => expect((await call(api, "GET", `${DEFINITIONS}/${name}`)).status).toBe(404));

test("deleting a definition succeeds although a policy denies updates of definitions", async () => {
  await install(api, boxDefinition("frozen.example.com", [versionOf("v1", { size: { type: "integer" } })]));
  expect((await call(api, "POST", boxesOf("frozen.example.com"), { metadata: { name: "a" } })).status).toBe(201);
  await using _ = await denying(["customresourcedefinitions"]);
  expect((await call(api, "DELETE", `${DEFINITIONS}/boxes.frozen.example.com`)).status).toBe(200);
  await isGone("boxes.frozen.example.com");
  expect(reported).toEqual([]);
});

test("the server repeats a denied write of a definition's status until it is admitted", async () => {
  await install(api, boxDefinition("held.example.com", [versionOf("v1", {})]));
  {
    await using _ = await denying(["*/*"], "!has(object.metadata.deletionTimestamp)");
    expect((await call(api, "DELETE", `${DEFINITIONS}/boxes.held.example.com`)).status).toBe(200);
    await eventually(() => expect(reported.length).toBeGreaterThan(2));
    expect(reported[0]).toContain("definitions are frozen");
    expect((await call(api, "GET", `${DEFINITIONS}/boxes.held.example.com`)).status).toBe(200);
  }
  await isGone("boxes.held.example.com");
});

test("the server establishes a definition whose first status write was denied", async () => {
  const name = "boxes.late.example.com";
  {
    await using _ = await denying(["customresourcedefinitions/status"]);
    const before = reported.length;
    const created = await call(api, "POST", DEFINITIONS, boxDefinition("late.example.com", [versionOf("v1", {})]));
    expect(created.status, created.text).toBe(201);
    await eventually(() => expect(reported.length).toBeGreaterThan(before + 2));
  }
  await eventually(async () =>
    expect((await call(api, "GET", `${DEFINITIONS}/${name}`)).text).toContain('"reason":"InitialNamesAccepted"'),
  );
});
