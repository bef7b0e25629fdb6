import { expect, test } from "vitest";
import { goNetworkReason } from "../../../src/client/transport/go-network-error.js";

test("the error text for an aborted signal, whose code is a number, is the message of its reason", () => {
  const { reason } = AbortSignal.abort();
  expect([typeof reason.code, goNetworkReason(reason)]).toEqual(["number", "This operation was aborted"]);
});
