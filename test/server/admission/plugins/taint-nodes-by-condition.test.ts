import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { create, expectTaken, merge, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const NODES = "/api/v1/nodes";
const NOT_READY = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const OWN = { key: "own", effect: "NoExecute" };

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({});
});

afterAll(() => server[Symbol.asyncDispose]());

describe("the admission plugin TaintNodesByCondition", () => {
  const rows: readonly (readonly [title: string, taints: readonly object[] | undefined, expected: unknown])[] = [
    ["a node without taints gets one", undefined, [NOT_READY]],
    ["a node with other taints gets one more", [OWN], [OWN, NOT_READY]],
    ["a node that has it stays as it is", [NOT_READY, OWN], [NOT_READY, OWN]],
    ["a node that has it with a value stays as it is", [{ ...NOT_READY, value: "v" }], [{ ...NOT_READY, value: "v" }]],
    [
      "a node that has the key with another effect gets it",
      [{ ...NOT_READY, effect: "NoExecute" }],
      [{ ...NOT_READY, effect: "NoExecute" }, NOT_READY],
    ],
  ];
  test.each(rows)("%s", async (_, taints, expected) => {
    const made = await expectTaken(tryCreate(server.api, NODES, { metadata: { name: "n" }, spec: { taints } }));
    expect(made.at("spec.taints")).toEqual(expected);
  });

  test("lets an update remove the taint", async () => {
    await expectTaken(create(server.api, NODES, { metadata: { name: "changing" } }));
    const changed = await expectTaken(merge(server.api, `${NODES}/changing`, { spec: { taints: null } }));
    expect(changed.at("spec.taints")).toBeUndefined();
  });

  test("is needed for the taint: without it nodes have none", async () => {
    await using other = await admittingServer({ disable: ["TaintNodesByCondition"] });
    const made = await expectTaken(create(other.api, NODES, { metadata: { name: "n" } }));
    expect(made.at("spec.taints")).toBeUndefined();
  });
});
