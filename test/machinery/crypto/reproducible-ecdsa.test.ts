import { createPublicKey, verify } from "node:crypto";
import { expect, test } from "vitest";
import { reproducibleKey, reproducibleSignature } from "../../../src/machinery/crypto/reproducible-ecdsa.js";

/** The private key of RFC 6979, A.2.5, less one: keys are made of any 32 bytes by adding one to what is left of the order. */
const SECRET = Buffer.from("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6720", "hex");

test.each([
  [
    "sample",
    "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716" +
      "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
  ],
  [
    "test",
    "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367" +
      "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
  ],
])("deterministic ECDSA signs %j as RFC 6979 shows", (message, signature) => {
  expect(reproducibleSignature(reproducibleKey(SECRET), Buffer.from(message)).toString("hex")).toBe(signature);
});

test("deterministic ECDSA makes signatures, by a key derived from any bytes, that OpenSSL verifies", () => {
  for (let byte = 0; byte < 256; byte += 51) {
    const key = reproducibleKey(Buffer.alloc(32, byte));
    const data = Buffer.from(`data ${byte}`);
    const signature = reproducibleSignature(key, data);
    expect(verify("sha256", data, { key: createPublicKey(key), dsaEncoding: "ieee-p1363" }, signature)).toBe(true);
  }
});
