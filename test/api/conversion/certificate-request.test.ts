import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { describe, expect, test } from "vitest";
import { allScheme } from "../../../src/api/scheme/all.js";
import { object } from "../../../src/machinery/meta/access.js";
import { testConversions } from "../../helpers/wire-conversions.js";

// Expectations: kubernetes' pkg/apis/certificates/v1beta1/defaults.go and pkg/apis/certificates/helpers.go.

const BETA = "certificates.k8s.io/v1beta1";
const kind = "CertificateSigningRequest";
type AlternativeName = { readonly type: "dns" | "ip" | "email" | "url"; readonly value: string };

async function pemOf(subject: string, names: readonly AlternativeName[] = []): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const extensions = names.length > 0 ? [new SubjectAlternativeNameExtension([...names])] : [];
  const request = await Pkcs10CertificateRequestGenerator.create(
    { name: subject, keys, signingAlgorithm: algorithm, extensions },
    webcrypto as never,
  );
  return request.toString("pem");
}

function defaulted(pem: string, spec: object = {}) {
  const request = Buffer.from(pem).toString("base64");
  return allScheme().applyDefaults(
    { apiVersion: BETA, kind, metadata: { name: "x" }, spec: { request, ...spec } },
    Date.now(),
  );
}

const NODE = "CN=system:node:a,O=system:nodes";
const CLIENT = ["digital signature", "key encipherment", "client auth"];
const SERVING = ["digital signature", "key encipherment", "server auth"];
const kubeletClient = "kubernetes.io/kube-apiserver-client-kubelet";
const kubeletServing = "kubernetes.io/kubelet-serving";
const unknown = "kubernetes.io/legacy-unknown";
const dns: AlternativeName = { type: "dns", value: "a.example.com" };
const ip: AlternativeName = { type: "ip", value: "10.0.0.1" };

describe("the default signer of a v1beta1 CertificateSigningRequest without one", () => {
  test.each<readonly [string, string, readonly AlternativeName[], readonly string[], string]>([
    ["a node's client certificate", NODE, [], CLIENT, kubeletClient],
    ["without RSA's usage", NODE, [], ["client auth", "digital signature"], kubeletClient],
    ["a node's serving certificate, by name", NODE, [dns], SERVING, kubeletServing],
    ["by address", NODE, [ip], ["digital signature", "server auth"], kubeletServing],
    ["a serving certificate without a name", NODE, [], SERVING, unknown],
    ["a client certificate with a name", NODE, [dns], CLIENT, unknown],
    ["with an email address too", NODE, [dns, { type: "email", value: "a@example.com" }], SERVING, unknown],
    ["with a URI", NODE, [{ type: "url", value: "https://example.com" }], CLIENT, unknown],
    ["a usage more", NODE, [], [...CLIENT, "signing"], unknown],
    ["a usage less", NODE, [], ["client auth"], unknown],
    ["another organization", "CN=system:node:a,O=system:masters", [], CLIENT, unknown],
    ["an organization more", `${NODE},O=more`, [], CLIENT, unknown],
    ["no node's name", "CN=jane,O=system:nodes", [], CLIENT, unknown],
  ])("is chosen by the request's subject and usages: %s", async (_, subject, names, usages, signer) => {
    expect(object(defaulted(await pemOf(subject, names), { usages }).spec).signerName).toBe(signer);
  });

  test("is not a kubelet's signer when the usages are missing too, which get their defaults first", async () => {
    expect(defaulted(await pemOf(NODE)).spec).toMatchObject({
      usages: ["digital signature", "key encipherment"],
      signerName: unknown,
    });
  });

  test("does not replace a signer that the request names", async () => {
    const spec = { usages: CLIENT, signerName: "example.com/mine" };
    expect(defaulted(await pemOf(NODE), spec).spec).toMatchObject(spec);
  });

  test("is legacy-unknown when the PEM request cannot be parsed", async () => {
    const pem = await pemOf(NODE);
    for (const broken of ["", "x", pem.replaceAll("CERTIFICATE REQUEST", "CERTIFICATE"), shortened(pem)]) {
      expect(object(defaulted(broken, { usages: CLIENT }).spec).signerName).toBe(unknown);
    }
  });
});

test("a v1beta1 condition without a status gets the status True", () => {
  const status = { conditions: [{ type: "Approved" }, { type: "Failed", status: "False" }] };
  const request = {
    apiVersion: BETA,
    kind,
    metadata: { name: "x" },
    spec: { usages: ["any"], signerName: "a/b" },
    status,
  };
  expect(allScheme().applyDefaults(structuredClone(request), Date.now()).status).toEqual({
    conditions: [
      { type: "Approved", status: "True" },
      { type: "Failed", status: "False" },
    ],
  });
});

testConversions([
  {
    name: "a signer is the same",
    kind,
    from: BETA,
    to: "certificates.k8s.io/v1",
    input: { spec: { request: "eA==", signerName: "a/b", usages: ["any"] } },
    expected: { spec: { request: "eA==", signerName: "a/b", usages: ["any"] } },
  },
  {
    name: "none is an empty one",
    kind,
    from: "certificates.k8s.io/v1",
    to: BETA,
    input: { spec: { request: "eA==" } },
    expected: { spec: { request: "eA==", signerName: "" } },
  },
]);

function pemText(der: Buffer): string {
  const body = der.toString("base64").replace(/.{64}/g, "$&\n");
  return `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`;
}

function shortened(pem: string): string {
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ""), "base64");
  return pemText(der.subarray(0, der.length - 20));
}

test("K37-007: PodCertificateRequest v1 lacks public key and proof of possession; v1beta1 still reads them after a write by v1", () => {
  const v1 = allScheme().kind({ group: "certificates.k8s.io", version: "v1", kind: "PodCertificateRequest" });
  const spec = { signerName: "example.com/s", pkixPublicKey: "AA==", proofOfPossession: "AA==", podName: "p" };
  expect(v1.fromHub({ metadata: {}, spec })).toMatchObject({
    apiVersion: "certificates.k8s.io/v1",
    spec: { signerName: "example.com/s", podName: "p" },
  });
  expect(Object.keys(object(v1.fromHub({ metadata: {}, spec })["spec"]))).toEqual(["signerName", "podName"]);
  const stub = { signerName: "example.com/s", stubPKCS10Request: "AA==" };
  expect(v1.toHub({ metadata: {}, spec: stub })).toMatchObject({ apiVersion: BETA, spec: stub });
});
