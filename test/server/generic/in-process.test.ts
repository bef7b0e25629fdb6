import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type AdmittingServer, admittingServer } from "../../helpers/admitting-server.js";
import { call, type CallOptions } from "../../helpers/api-caller.js";

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({});
});

afterAll(() => server[Symbol.asyncDispose]());

const OWNER = [201, "admin"];
const WRONG = [401, undefined];

/** Whom the server takes the caller for. */
async function whoAmI(transport: Transport, options: CallOptions): Promise<unknown> {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const answer = await call(transport, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review, options);
  return [answer.status, answer.at("status.userInfo.username")];
}

test.each<readonly [string, CallOptions, unknown]>([
  ["no header", {}, OWNER],
  ["a token that nothing knows", { headers: { authorization: "Bearer x" } }, WRONG],
  ["the same in other letters", { headers: { Authorization: "Bearer x" } }, WRONG],
  ["the same in a header that may repeat", { repeatedHeaders: { authorization: ["Bearer x"] } }, WRONG],
])("an in-process request with %s is the owner's", async (_, options, expected) => {
  expect(await whoAmI(server.api, options)).toEqual(expected);
});

test.each<readonly [string, CallOptions]>([
  ["an empty token", { headers: { authorization: "" } }],
  ["another scheme", { headers: { authorization: "Basic eDp5" } }],
])("an in-process request with %s is not the owner's", async (_, options) => {
  expect(await whoAmI(server.api, options)).not.toEqual(OWNER);
});
