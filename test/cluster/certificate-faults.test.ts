import { expect, test } from "vitest";
import { authorityFaults, servingFault } from "../../src/cluster/certificate-faults.js";
import { createClusterPki } from "../../src/cluster/pki/cluster-pki.js";
import { systemClock } from "../../src/base/time/clock.js";
import { systemRandom } from "../../src/base/numbers/random.js";
import { chainOf, pemOf } from "../helpers/certificate-chains.js";

const NOW = Date.UTC(2026, 5, 1, 12);
const SIGNS_NOTHING = "x509: invalid signature: parent certificate cannot sign this kind of certificate";

test.each([
  ["usual", undefined],
  ["usual, with an intermediate", undefined],
  ["self-signed leaf", undefined],
  ["SHA-1", "x509: cannot verify signature: insecure algorithm SHA1-RSA"],
  ["extended key usage of the other side", "x509: certificate specifies an incompatible key usage"],
  ["unknown critical extension", "x509: unhandled critical extension"],
  ["common name without names", "x509: certificate relies on legacy Common Name field, use SANs instead"],
  ["negative serial", "x509: negative serial number"],
  ["path length of the root exceeded", undefined],
])("checking a server's certificate without a given authority: %s", (name, fault) => {
  expect(servingFault(pemOf(chainOf("server", name).chain), "", NOW)).toBe(fault);
});

test.each([
  ["usual, with an intermediate", undefined],
  ["path length of the root exceeded", "x509: too many intermediates for path length constraint"],
  ["missing intermediate", "x509: certificate signed by unknown authority"],
  ["policy required, and none there", "x509: no valid chains built: 1 candidate chains with invalid policies"],
])("checking a server's certificate against its authorities: %s", (name, fault) => {
  const { chain, roots } = chainOf("server", name);
  expect(servingFault(pemOf(chain), pemOf(roots), NOW)).toBe(fault);
});

test.each([
  ["usual", []],
  ["root of version 1", []],
  ["leaf that is among the roots", []],
  [
    "root with the extended key usage of the other side",
    ["unable", "x509: certificate specifies an incompatible key usage"],
  ],
  ["unknown critical extension in the root", ["odd", "x509: unhandled critical extension"]],
  ["basic constraints missing in the root", ["no CA", SIGNS_NOTHING]],
  ["key usage without certSign in the root", ["no signer", SIGNS_NOTHING]],
])("checking authorities of client certificates: %s", (name, [subject, fault]) => {
  const found = authorityFaults(pemOf(chainOf("client", name).roots), NOW);
  expect(found).toEqual(subject === undefined ? [] : [`certificate "${subject}": ${fault}`]);
});

test("checking certificates that the program issues finds no fault", () => {
  const { ca, server } = createClusterPki(systemClock, systemRandom, systemClock);
  expect(servingFault(server.certificate, ca.certificate, Date.now())).toBeUndefined();
  expect(authorityFaults(ca.certificate, Date.now())).toEqual([]);
});
