import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { bindingWith, enforce, validatingPolicy } from "../../../helpers/policies.js";

const MAPS = "/api/v1/namespaces/default/configmaps";

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({});
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
});

test("try", async () => {
  await using _ = await enforce(
    server.api,
    "validating",
    [validatingPolicy({ validations: [{ expression: "object.metadata.name == 'b'" }] })],
    [bindingWith("validating")],
  );
  const answer = await call(server.api, "POST", MAPS, { metadata: { name: "a" } });
  console.log(answer.text);
  const second = await call(server.api, "POST", MAPS, { metadata: { name: "b" } });
  console.log(second.text);
});
