import { expect, test } from "vitest";
import { type PemPair, readKeyPair } from "../../../src/machinery/crypto/key-pair.js";
import { newAuthority, rsaServingCertificate, servingCertificate } from "../../helpers/tls-peer.js";

const ca = newAuthority();
const pair = servingCertificate(ca, "one");
const other = servingCertificate(ca, "two");
const rsa = rsaServingCertificate(ca, "rsa");
const block = (type: string): string => `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`;

test.each<[string, PemPair, string]>([
  ["an EC certificate and its key", pair, "CN=one"],
  ["an RSA certificate and its key", rsa, "CN=rsa"],
  ["a certificate before its authority", { ...pair, certificate: pair.certificate + ca.certificate }, "CN=one"],
  ["a key behind its parameters", { ...pair, key: block("EC PARAMETERS") + pair.key }, "CN=one"],
  ["text around the blocks", { certificate: `a\n${pair.certificate}b\n`, key: `c\n${pair.key}` }, "CN=one"],
  ["lines that end as on Windows", { ...pair, certificate: pair.certificate.replaceAll("\n", "\r\n") }, "CN=one"],
])("reading a certificate and its key accepts %s", (_, given, subject) => {
  expect(readKeyPair(given).leaf.subject).toBe(subject);
});

test.each<[string, PemPair, string]>([
  ["no certificate", { ...pair, certificate: "x" }, "tls: failed to find any PEM data in certificate input"],
  [
    "half a certificate",
    { ...pair, certificate: pair.certificate.slice(0, 200) },
    "tls: failed to find any PEM data in certificate input",
  ],
  [
    "files that are switched",
    { certificate: pair.key, key: pair.certificate },
    "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
  ],
  [
    "a request in place of the certificate",
    { ...pair, certificate: block("CERTIFICATE REQUEST") },
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [CERTIFICATE REQUEST]',
  ],
  ["a certificate of other bytes", { ...pair, certificate: block("CERTIFICATE") }, "x509: malformed certificate"],
  ["no key", { ...pair, key: "x" }, "tls: failed to find any PEM data in key input"],
  ["half a key", { ...pair, key: pair.key.slice(0, 100) }, "tls: failed to find any PEM data in key input"],
  [
    "a certificate in place of the key",
    { ...pair, key: pair.certificate },
    "tls: found a certificate rather than a key in the PEM for the private key",
  ],
  [
    "parameters and a certificate in place of the key",
    { ...pair, key: block("EC PARAMETERS") + pair.certificate },
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [EC PARAMETERS CERTIFICATE]',
  ],
  ["a key of other bytes", { ...pair, key: block("PRIVATE KEY") }, "tls: failed to parse private key"],
  ["another key", { ...pair, key: other.key }, "tls: private key does not match public key"],
  ["a key of another type", { ...pair, key: rsa.key }, "tls: private key type does not match public key type"],
])("reading a certificate and its key refuses %s in Go's words, without printing the key", (_, given, message) => {
  expect(() => readKeyPair(given)).toThrow(new Error(message));
});
