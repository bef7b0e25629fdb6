import { describe, expect, it } from "vitest";
import { CHANGED, REQUESTS } from "./certificate-requests.js";
import { createErrors } from "./good-objects.js";

const CSR = "certificates.k8s.io/certificatesigningrequests";
const GOOD = REQUESTS["Ed25519"] ?? "";
const encoded = (pem: string) => Buffer.from(pem).toString("base64");
const problems = (pem: string) => createErrors(CSR, { "spec.request": encoded(pem) });
const refused = (pem: string, detail: string) => [
  `spec.request: Invalid value: ${pem === "" ? "null" : JSON.stringify(encoded(pem))}: ${detail}`,
];
const block = (der: readonly number[]) =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(der).toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;

describe("the PKCS #10 request in a CertificateSigningRequest", () => {
  it.each(Object.entries(REQUESTS))("is accepted when signed with %s", (_, pem) => {
    expect(problems(pem)).toEqual([]);
  });

  const failures: Readonly<Record<string, string>> = {
    "ECDSA on P-256": "x509: ECDSA verification failure",
    "RSA with SHA-256": "crypto/rsa: verification error",
    "RSA-PSS with SHA-256": "crypto/rsa: verification error",
    Ed25519: "x509: Ed25519 verification failure",
  };
  it.each(Object.entries(CHANGED))("is refused when changed after it was signed with %s", (how, pem) => {
    expect(problems(pem)).toEqual(refused(pem, failures[how] ?? ""));
  });

  const type = "PEM block type must be CERTIFICATE REQUEST";
  const odd: readonly (readonly [what: string, pem: string, detail: string])[] = [
    ["nothing", "", type],
    ["no PEM", "MAAA", type],
    ["PEM of something else", GOOD.replaceAll("CERTIFICATE REQUEST", "CERTIFICATE"), type],
    ["PEM of something else before it", `-----BEGIN A-----\nMAAA\n-----END A-----\n${GOOD}`, type],
    [
      "no sequence",
      block([0x02, 0x01, 0x05]),
      "asn1: structure error: tags don't match (16 vs {class:0 tag:2 length:1 isCompound:false}) {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} certificateRequest @2",
    ],
    ["half a request", block([0x30, 0x20, 0x02]), "asn1: syntax error: data truncated"],
    [
      "something behind it",
      block([...Buffer.from(GOOD.split("\n").slice(1, -2).join(""), "base64"), 0x05, 0x00]),
      "asn1: syntax error: trailing data",
    ],
  ];
  it.each(odd)("is refused when it is %s", (_, pem, detail) => {
    expect(problems(pem)).toEqual(refused(pem, detail));
  });

  it("is accepted with text around the PEM block", () => {
    expect(problems(`a request of mine\n${GOOD}and more`)).toEqual([]);
  });
});
