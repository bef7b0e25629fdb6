import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../../src/client/transport/transport.js";
import { create, expectAnswer, expectTaken, merge, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { certificateRequest } from "../../../helpers/certificate-request.js";

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const BUNDLES = "/apis/certificates.k8s.io/v1beta1/clustertrustbundles";
const CLIENT = "kubernetes.io/kube-apiserver-client";

/** Users by what they may do with signers: "approve example.com/*". Everything else is allowed to all. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  nobody: [],
  named: ["approve example.com/a", "sign example.com/a", "attest example.com/a"],
  domain: ["approve example.com/*", "sign example.com/*", "attest example.com/*"],
  other: ["approve example.com/b", "sign example.com/b", "attest example.org/*"],
  approver: ["approve example.com/a"],
  signer: ["sign example.com/a"],
};
const asked: string[] = [];

let server: AdmittingServer;
let request: string;
let administrators: string;
let certificate: string;

beforeAll(async () => {
  server = await admittingServer({}, undefined, undefined, {
    runtimeConfig: { "certificates.k8s.io/v1beta1": true },
    authorizers: [
      ({ user, verb, resource, name, apiGroup, apiVersion, isResourceRequest, namespace }) => {
        if (resource !== "signers") return { decision: "allow" };
        asked.push(`${verb} ${apiGroup} ${apiVersion} ${name} ${String(isResourceRequest)} ${namespace}`);
        return { decision: RIGHTS[user.name]?.includes(`${verb} ${name}`) === true ? "allow" : "no-opinion" };
      },
    ],
  });
  const pem = async (subject: string) => Buffer.from((await certificateRequest(subject)).request).toString("base64");
  request = await pem("CN=jane,O=developers");
  administrators = await pem("CN=jane,O=developers,O=system:masters");
  const { issueCertificate } = await import("../../../../src/machinery/crypto/issue-certificate.js");
  const day = 86_400_000;
  certificate = issueCertificate({
    commonName: "jane",
    notBefore: Date.now() - day,
    notAfter: Date.now() + day,
    serial: Buffer.from([1]),
    usage: "ca",
  }).certificate;
});

afterAll(() => server[Symbol.asyncDispose]());

let count = 0;

/** Makes a request for a signer's certificate, approved or not, and answers its path. */
async function asking(signerName: string, approved = false): Promise<string> {
  count += 1;
  const spec = { request, signerName, usages: ["client auth"] };
  await expectTaken(create(server.api, REQUESTS, { metadata: { name: `r${count}` }, spec }));
  if (approved) await expectTaken(decide(server.api, `${REQUESTS}/r${count}`, "Approved"));
  return `${REQUESTS}/r${count}`;
}

const decide = (api: Transport, path: string, type: string) =>
  merge(api, `${path}/approval`, { status: { conditions: [{ type, status: "True", reason: "R", message: "m" }] } });
const sign = (api: Transport, path: string) =>
  merge(api, `${path}/status`, { status: { certificate: Buffer.from(certificate).toString("base64") } });

const refusal = (verb: string, signer: string): string =>
  `certificatesigningrequests.certificates.k8s.io "r${count}" is forbidden: user not permitted to ${verb} requests with signerName "${signer}"`;

const users: readonly (readonly [title: string, user: string, isAllowed: boolean])[] = [
  ["a user without rights", "nobody", false],
  ["a user with the right to the signer", "named", true],
  ["a user with the right to all of its domain", "domain", true],
  ["a user with the right to another signer", "other", false],
];

describe("the admission plugin CertificateApproval", () => {
  test.each(users)("lets %s approve: %s, %s", async (_, user, isAllowed) => {
    const path = await asking("example.com/a");
    await expectAnswer(decide(server.as(user), path, "Approved"), isAllowed ? "" : refusal("approve", "example.com/a"));
  });

  test.each(users)("lets %s deny: %s, %s", async (_, user, isAllowed) => {
    const path = await asking("example.com/a");
    await expectAnswer(decide(server.as(user), path, "Denied"), isAllowed ? "" : refusal("approve", "example.com/a"));
  });

  test("does not accept the right to sign as the right to approve", async () => {
    const path = await asking("example.com/a");
    await expectAnswer(decide(server.as("signer"), path, "Approved"), refusal("approve", "example.com/a"));
  });

  test("checks the signer before its domain, in no namespace and every version", async () => {
    const path = await asking("example.com/a.b");
    asked.length = 0;
    await expectAnswer(decide(server.as("nobody"), path, "Approved"), refusal("approve", "example.com/a.b"));
    expect(asked).toEqual([
      "approve certificates.k8s.io * example.com/a.b true ",
      "approve certificates.k8s.io * example.com/* true ",
    ]);
  });

  test("ignores a change of labels", async () => {
    const path = await asking("example.com/a");
    await expectAnswer(merge(server.as("nobody"), path, { metadata: { labels: { a: "b" } } }), "");
  });
});

describe("the admission plugin CertificateSigning", () => {
  test.each(users)("lets %s sign: %s, %s", async (_, user, isAllowed) => {
    const path = await asking("example.com/a", true);
    await expectAnswer(sign(server.as(user), path), isAllowed ? "" : refusal("sign", "example.com/a"));
  });

  test.each(users)("%s may set the condition Failed of a request: %s, %s", async (_, user, isAllowed) => {
    const path = await asking("example.com/a", true);
    const current = await call(server.api, "GET", path);
    const conditions = [
      ...(current.at("status.conditions") as object[]),
      { type: "Failed", status: "True", reason: "R" },
    ];
    const answer = merge(server.as(user), `${path}/status`, { status: { conditions } });
    await expectAnswer(answer, isAllowed ? "" : refusal("sign", "example.com/a"));
  });

  test("does not accept the right to approve as the right to sign", async () => {
    const path = await asking("example.com/a", true);
    await expectAnswer(sign(server.as("approver"), path), refusal("sign", "example.com/a"));
  });

  test("needs no right for an unchanged status", async () => {
    const path = await asking("example.com/a");
    await expectAnswer(merge(server.as("nobody"), `${path}/status`, { metadata: { labels: { a: "b" } } }), "");
  });
});

describe("the admission plugin CertificateSubjectRestriction", () => {
  const masters = `certificatesigningrequests.certificates.k8s.io "m" is forbidden: use of ${CLIENT} signer with system:masters group is not allowed`;
  const rows: readonly (readonly [title: string, signer: string, isAdministrators: boolean, message: string])[] = [
    ["a client certificate of other groups is let pass", CLIENT, false, ""],
    ["a client certificate of the administrators is refused", CLIENT, true, masters],
    ["a certificate of another signer may name the group", "example.com/a", true, ""],
    ["a certificate of a kubelet may name the group here", "kubernetes.io/kube-apiserver-client-kubelet", true, ""],
  ];
  test.each(rows)("%s", async (_, signerName, isAdministrators, message) => {
    const spec = { request: isAdministrators ? administrators : request, signerName, usages: ["client auth"] };
    await expectAnswer(tryCreate(server.as("nobody"), REQUESTS, { metadata: { name: "m" }, spec }), message);
  });
});

describe("the admission plugin ClusterTrustBundleAttest", () => {
  const bundle = (signerName: string | undefined, name: string): object => ({
    metadata: { name },
    spec: { trustBundle: certificate, ...(signerName !== undefined && { signerName }) },
  });
  const refused = (name: string): string =>
    `clustertrustbundles.certificates.k8s.io "${name}" is forbidden: user not permitted to attest for signerName "example.com/a"`;

  test.each(users)("lets %s create a bundle: %s, %s", async (_, user, isAllowed) => {
    const name = `example.com:a:${user}`;
    const made = tryCreate(server.as(user), BUNDLES, bundle("example.com/a", name));
    await expectAnswer(made, isAllowed ? "" : refused(name));
  });

  test("needs no right for a bundle without a signer", () =>
    expectAnswer(tryCreate(server.as("nobody"), BUNDLES, bundle(undefined, "plain")), ""));

  test("needs the right for a changed bundle, and not for finalizers and owners alone", async () => {
    const name = "example.com:a:changing";
    await expectTaken(create(server.api, BUNDLES, bundle("example.com/a", name)));
    const path = `${BUNDLES}/${encodeURIComponent(name)}`;
    const nobody = server.as("nobody");
    await expectAnswer(merge(nobody, path, { metadata: { labels: { a: "b" } } }), refused(name));
    await expectAnswer(merge(nobody, path, { metadata: { finalizers: ["example.com/f"] } }), "");
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "u" }];
    await expectAnswer(merge(nobody, path, { metadata: { ownerReferences } }), "");
    await expectAnswer(merge(server.as("domain"), path, { metadata: { labels: { a: "b" } } }), "");
  });
});
