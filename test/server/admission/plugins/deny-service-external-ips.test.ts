import { afterAll, beforeAll, describe, test } from "vitest";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { create, expectAnswer, expectTaken, tryCreate, tryMerge } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const SERVICES = "/api/v1/namespaces/default/services";
const DENIED = 'services "s" is forbidden: Use of external IPs is denied by admission control';
const service = (...externalIPs: string[]): object => ({
  metadata: { name: "s" },
  spec: { clusterIP: "None", ports: [{ port: 80 }], ...(externalIPs.length > 0 && { externalIPs }) },
});

let before: AdmittingServer;
let server: AdmittingServer;

beforeAll(async () => {
  const kv = openMemoryKv();
  before = await admittingServer({}, kv);
  server = await admittingServer({ enable: ["DenyServiceExternalIPs"] }, kv);
  await expectTaken(create(before.api, SERVICES, service("1.2.3.4", "5.6.7.8")));
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await before[Symbol.asyncDispose]();
});

describe("the admission plugin DenyServiceExternalIPs", () => {
  test("accepts a new service without external IPs", () =>
    expectAnswer(tryCreate(server.api, SERVICES, { ...service(), metadata: { name: "t" } }), ""));
  test("refuses a new service with one", () =>
    expectAnswer(tryCreate(server.api, SERVICES, service("9.9.9.9")), DENIED));

  const rows: readonly (readonly [title: string, patch: object, message: string])[] = [
    ["a change of something else is let pass", { metadata: { labels: { a: "b" } } }, ""],
    ["the same IPs are let pass", { spec: { externalIPs: ["1.2.3.4", "5.6.7.8"] } }, ""],
    ["the same IPs in another order are let pass", { spec: { externalIPs: ["5.6.7.8", "1.2.3.4"] } }, ""],
    ["fewer IPs are let pass", { spec: { externalIPs: ["5.6.7.8"] } }, ""],
    ["no IPs are let pass", { spec: { externalIPs: null } }, ""],
    ["one more IP is refused", { spec: { externalIPs: ["1.2.3.4", "5.6.7.8", "9.9.9.9"] } }, DENIED],
    ["another IP is refused", { spec: { externalIPs: ["9.9.9.9"] } }, DENIED],
  ];
  test.each(rows)("%s", (_, patch, message) => expectAnswer(tryMerge(server.api, `${SERVICES}/s`, patch), message));

  test("ignores the status", () =>
    expectAnswer(tryMerge(server.api, `${SERVICES}/s/status`, { metadata: { labels: { a: "b" } } }), ""));
});
