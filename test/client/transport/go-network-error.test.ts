import { expect, test } from "vitest";
import { goNetworkReason } from "../../../src/client/transport/go-network-error.js";

test("the reason of an aborted signal, whose code is a number, is its message", () => {
  const { reason } = AbortSignal.abort();
  expect([typeof reason.code, goNetworkReason(reason)]).toEqual(["number", "This operation was aborted"]);
});
