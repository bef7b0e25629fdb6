import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { canDeal, dealHand, flowHash } from "../../../src/server/flow-control/shuffle-sharding.js";

describe("shuffle sharding", () => {
  test("deals each hand of three out of five queues for one hash in sixty", () => {
    const hands = Array.from({ length: 60 }, (_, hash) => dealHand(BigInt(hash), 5, 3).join());
    expect(new Set(hands).size).toBe(60);
    for (const hand of hands) expect(new Set(hand.split(",")).size).toBe(3);
  });

  test("reads a hash as digits of mixed radix, from the last queue count down", () => {
    // 4 + 128 * (3 + 127 * 3): the queue 4, then the third and the third again of those that are left.
    expect(dealHand(BigInt(4 + 128 * (3 + 127 * 3)), 128, 3)).toEqual([4, 3, 5]);
  });

  test("hashes a flow by the first eight bytes (little-endian) of SHA-256 over schema, zero byte and distinguisher", () => {
    const digest = createHash("sha256")
      .update("service-accounts")
      .update(Buffer.from([0]))
      .update("alice")
      .digest();
    expect(flowHash("service-accounts", "alice")).toBe(digest.readBigUInt64LE(0));
    expect(flowHash("a", "bc")).not.toBe(flowHash("ab", "c"));
  });

  test.each([
    [64, 6, true],
    [128, 8, true],
    [256, 8, false],
    [1, 1, true],
    [4, 5, false],
    [0, 1, false],
    [8, 0, false],
  ])("can deal hands of %i queues out of %i: %s", (queues, handSize, can) => {
    expect(canDeal(queues, handSize)).toBe(can);
  });
});
