import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueCertificate, issuerOf, type Issuer, type KeyPair } from "../../src/machinery/crypto/issue-certificate.js";
import { certificateRequest } from "../helpers/certificate-request.js";
import { APPLY, Arena, jewel, JSON_PATCH, MERGE } from "./arena.js";

const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const SECRET = "/api/v1/namespaces/default/secrets/jewel";
const REFUSED = "403 Forbidden";
const INVALID = "422 Invalid";
const CLIENT = "kubernetes.io/kube-apiserver-client";
const KUBELET = "kubernetes.io/kube-apiserver-client-kubelet";
const SERVING = "kubernetes.io/kubelet-serving";
const DAY = 86_400_000;

let arena: Arena;

const request = async (subject: string): Promise<string> =>
  Buffer.from((await certificateRequest(subject)).request).toString("base64");
const csr = async (subject: string, signerName: string, more: object = {}, name = "c") => ({
  metadata: { name },
  spec: { request: await request(subject), signerName, usages: ["client auth", "digital signature"], ...more },
});
const condition = (type: string, more: object = {}) => ({
  status: { conditions: [{ type, status: "True", reason: "Because", ...more }] },
});

/** cat may create requests, apt may approve them, sam may write their status, una may update them; none has a right on a signer. */
beforeAll(async () => {
  arena = await Arena.open();
  await arena.create("/api/v1/namespaces/default/secrets", jewel("jewel"));
  const group = "certificates.k8s.io:certificatesigningrequests";
  await arena.allow("cat,apt,sam,una", `create,get,list ${group}`);
  await arena.allow("una", `update,patch ${group}`);
  await arena.allow("apt,app", `get,update,patch ${group}/approval`);
  await arena.allow("app", "approve certificates.k8s.io:signers example.com/*");
  await arena.allow("sam,sig", `get,update,patch ${group}/status`);
  await arena.allow("sig", "sign certificates.k8s.io:signers example.com/one");
  await arena.allow("system:node:n", `create,get ${group}`);
  for (const [name, signer, subject] of [
    ["pending", CLIENT, "CN=jane"],
    ["other", "example.com/one", "CN=jane"],
  ] as const) {
    await arena.create(CSRS, await csr(subject, signer, {}, name));
  }
  await arena.create(CSRS, await csr("CN=jane", "example.com/one", {}, "approved"));
  await arena.make("PATCH", `${CSRS}/approved/approval`, condition("Approved"), MERGE);
});

afterAll(() => arena[Symbol.asyncDispose]());

describe("a request for a certificate", () => {
  type Late = readonly [
    title: string,
    who: string,
    request: string,
    answer: string,
    body: () => Promise<unknown> | object,
    type?: string,
  ];
  const masters = "CN=x,O=system:masters";
  const rows: readonly Late[] = [
    ["of the administrators' group", "cat", `POST ${CSRS}`, REFUSED, () => csr(masters, CLIENT)],
    [
      "of that group, as the second of two",
      "cat",
      `POST ${CSRS}`,
      REFUSED,
      () => csr("CN=x,O=devs,O=system:masters", CLIENT),
    ],
    ["of that group, in dry run", "cat", `POST ${CSRS}?dryRun=All`, REFUSED, () => csr(masters, CLIENT)],
    [
      "of that group, of a generated name",
      "cat",
      `POST ${CSRS}`,
      REFUSED,
      async () => ({ ...(await csr(masters, CLIENT)), metadata: { generateName: "c-" } }),
    ],
    [
      "of that group, by an apply",
      "cat",
      `PATCH ${CSRS}/c?fieldManager=m`,
      REFUSED,
      async () => ({
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        ...(await csr(masters, CLIENT)),
      }),
      APPLY,
    ],
    [
      "of a node, by a user of no right",
      "will",
      `POST ${CSRS}`,
      REFUSED,
      () => csr("CN=system:node:n,O=system:nodes", KUBELET),
    ],
    [
      "of a node's server, for a name alone",
      "cat",
      `POST ${CSRS}`,
      INVALID,
      () => csr("CN=system:node:n,O=system:nodes", SERVING, { usages: [] }),
    ],
    [
      "of an old signer that approved by itself",
      "cat",
      `POST ${CSRS}`,
      INVALID,
      () => csr("CN=x", "kubernetes.io/legacy-unknown"),
    ],
    ["of a signer without a domain", "cat", `POST ${CSRS}`, INVALID, () => csr("CN=x", "kube-apiserver-client")],
    ["of no signer", "cat", `POST ${CSRS}`, INVALID, () => csr("CN=x", "")],
    ["of a usage that there is not", "cat", `POST ${CSRS}`, INVALID, () => csr("CN=x", CLIENT, { usages: ["all"] })],
    ["for a second", "cat", `POST ${CSRS}`, INVALID, () => csr("CN=x", CLIENT, { expirationSeconds: 1 })],
    [
      "that is none",
      "cat",
      `POST ${CSRS}`,
      INVALID,
      async () => csr("CN=x", CLIENT, { request: Buffer.from("none").toString("base64") }),
    ],
    [
      "approved by who may not approve",
      "cat",
      `PATCH ${CSRS}/pending/approval`,
      REFUSED,
      () => condition("Approved"),
      MERGE,
    ],
    [
      "approved without the signer's right",
      "apt",
      `PATCH ${CSRS}/pending/approval`,
      REFUSED,
      () => condition("Approved"),
      MERGE,
    ],
    [
      "approved in dry run",
      "apt",
      `PATCH ${CSRS}/pending/approval?dryRun=All`,
      REFUSED,
      () => condition("Approved"),
      MERGE,
    ],
    [
      "approved by a JSON patch",
      "apt",
      `PATCH ${CSRS}/pending/approval`,
      REFUSED,
      () => [{ op: "add", path: "/status/conditions", value: condition("Approved").status.conditions }],
      JSON_PATCH,
    ],
    [
      "approved by an apply",
      "apt",
      `PATCH ${CSRS}/pending/approval?fieldManager=m`,
      REFUSED,
      () => ({
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        metadata: { name: "pending" },
        ...condition("Approved"),
      }),
      APPLY,
    ],
    [
      "approved by who may approve another signer's",
      "app",
      `PATCH ${CSRS}/pending/approval`,
      REFUSED,
      () => condition("Approved"),
      MERGE,
    ],
    ["approved through its status", "sam", `PATCH ${CSRS}/pending/status`, INVALID, () => condition("Approved"), MERGE],
    [
      "approved through its status by who signs for it",
      "sig",
      `PATCH ${CSRS}/other/status`,
      INVALID,
      () => condition("Approved"),
      MERGE,
    ],
    [
      "denied and approved at once",
      "app",
      `PATCH ${CSRS}/other/approval`,
      INVALID,
      () => ({
        status: { conditions: [...condition("Approved").status.conditions, ...condition("Denied").status.conditions] },
      }),
      MERGE,
    ],
    [
      "whose approval is taken back",
      "app",
      `PATCH ${CSRS}/approved/approval`,
      INVALID,
      () => ({ status: { conditions: [] } }),
      MERGE,
    ],
    ["that is approved, denied", "app", `PATCH ${CSRS}/approved/approval`, INVALID, () => condition("Denied"), MERGE],
    [
      "given a certificate by who may not sign",
      "sam",
      `PATCH ${CSRS}/approved/status`,
      REFUSED,
      () => ({ status: { certificate: Buffer.from(arena.cluster.caCertificate).toString("base64") } }),
      MERGE,
    ],
    [
      "given a certificate that is none",
      "sig",
      `PATCH ${CSRS}/approved/status`,
      INVALID,
      () => ({ status: { certificate: Buffer.from("x").toString("base64") } }),
      MERGE,
    ],
    [
      "given a certificate in another part",
      "app",
      `PATCH ${CSRS}/approved`,
      REFUSED,
      () => ({ status: { certificate: "eA==" } }),
      MERGE,
    ],
    ["deleted without the right", "cat", `DELETE ${CSRS}/pending`, REFUSED, () => ({})],
  ];
  test.each(rows.map((row) => ({ title: row[0], row })))("$title", async ({ row }) => {
    const [title, who, line, answer, body, type] = row;
    await arena.attempt([title, who, line, answer, await body(), type === undefined ? {} : { type }]);
  });

  test("keeps its content after the approval: neither an update nor a patch can change it", async () => {
    const changed = {
      spec: { request: await request("CN=x,O=system:masters"), username: "system:admin", groups: ["system:masters"] },
    };
    const before = (await arena.make("GET", `${CSRS}/approved`)).at("spec");
    for (const path of [`${CSRS}/approved`, `${CSRS}/approved?dryRun=All`]) {
      const answer = await arena.send("una", { method: "PATCH", path, body: changed, type: MERGE });
      expect([200, 422]).toContain(answer.status);
      expect((await arena.make("GET", `${CSRS}/approved`)).at("spec")).toEqual(before);
    }
  });

  test("names as requester the authenticated user, whatever it contains", async () => {
    const claimed = { username: "system:admin", groups: ["system:masters"], uid: "0", extra: { a: ["b"] } };
    const answer = await arena.send("cat", {
      method: "POST",
      path: `${CSRS}?dryRun=All`,
      body: await csr("CN=cat", CLIENT, claimed),
    });
    expect(JSON.parse(answer.text)).toMatchObject({ spec: { username: "cat", groups: ["system:authenticated"] } });
    expect(answer.text).not.toContain("system:masters");
  });
});

describe("a client certificate that is refused or has no rights:", () => {
  const authority = (commonName: string, more: object = {}): { pair: KeyPair; issuer: Issuer } => {
    const pair = issueCertificate({
      commonName,
      notBefore: Date.now() - DAY,
      notAfter: Date.now() + DAY,
      serial: Buffer.from([7]),
      usage: "ca",
      ...more,
    });
    return { pair, issuer: issuerOf(pair, commonName) };
  };
  const admin = (issuer?: Issuer, more: object = {}): KeyPair =>
    issueCertificate(
      {
        commonName: "kubernetes-admin",
        organizations: ["system:masters"],
        notBefore: Date.now() - DAY,
        notAfter: Date.now() + DAY,
        serial: Buffer.from([9]),
        usage: "client",
        ...more,
      },
      issuer,
    );
  const rows: readonly (readonly [title: string, make: () => KeyPair | string])[] = [
    ["that it signed itself", () => admin()],
    ["of an authority that the server does not know", () => admin(authority("stranger").issuer)],
    ["of an authority with the name of the server's", () => admin(authority("kubernetes").issuer)],
    ["for servers alone, self-signed", () => admin(undefined, { usage: "server", names: ["127.0.0.1"] })],
    [
      "of another cluster",
      () =>
        issueCertificate({
          commonName: "kubernetes",
          notBefore: 0,
          notAfter: Date.now() + DAY,
          serial: Buffer.from([1]),
          usage: "ca",
        }),
    ],
    [
      "signed by a user's certificate, which is no authority",
      () => {
        const { certificate, key } = arena.certificateOf("mallory");
        return admin(issuerOf({ certificate, key }, "mallory"));
      },
    ],
    [
      "signed by a user's certificate, with that certificate behind it",
      () => {
        const { certificate, key } = arena.certificateOf("mallory");
        const made = admin(issuerOf({ certificate, key }, "mallory"));
        return { certificate: `${made.certificate}${certificate}`, key: made.key };
      },
    ],
    [
      "signed by itself, with the server's authority behind it",
      () => {
        const made = admin();
        return { certificate: `${made.certificate}${arena.cluster.caCertificate}`, key: made.key };
      },
    ],
  ];
  test.each(rows)("%s", async (title, make) => {
    const made = make();
    await arena.attemptShot(title, made, { method: "GET", path: SECRET }, "401 Unauthorized");
    await arena.attemptShot(
      `${title}, with a header`,
      made,
      { method: "GET", path: SECRET, headers: { "x-remote-user": "kubernetes-admin", "impersonate-user": "jane" } },
      "401 Unauthorized",
    );
  });

  test("that names a user with the administrators' name but not their group may do nothing", async () => {
    await arena.attempt(["kubernetes-admin", "kubernetes-admin", `GET ${SECRET}`, REFUSED]);
    await arena.attempt(["system:masters", "system:masters", `GET ${SECRET}`, REFUSED]);
    await arena.attempt(["a group in other letters", "x,SYSTEM:MASTERS", `GET ${SECRET}`, REFUSED]);
    await arena.attempt(["a group with a blank", "x,system:masters ", `GET ${SECRET}`, REFUSED]);
    await arena.attempt(["a group with a comma in it", "x+system:masters", `GET ${SECRET}`, REFUSED]);
  });

  test("without its private key authenticates nobody", async () => {
    const { certificate } = arena.certificateOf("x,system:masters");
    const { key } = arena.certificateOf("mallory");
    await expect(arena.send({ certificate, key }, { method: "GET", path: SECRET })).rejects.toThrow();
  });
});

describe("a certificate of the server's own authority that may not authenticate:", () => {
  let own: Arena;
  let folder: string;
  let certify: (more: object) => KeyPair;

  beforeAll(async () => {
    const ca = issueCertificate({
      commonName: "kubernetes",
      notBefore: Date.now() - DAY,
      notAfter: Date.now() + DAY,
      serial: Buffer.from([1]),
      usage: "ca",
    });
    folder = await mkdtemp(join(tmpdir(), "kubets-authority-"));
    await writeFile(join(folder, "ca.pem"), ca.certificate);
    own = await Arena.open({ authentication: { clientCaFiles: [join(folder, "ca.pem")] } });
    await own.create("/api/v1/namespaces/default/secrets", jewel("jewel"));
    const issuer = issuerOf(ca, "kubernetes");
    certify = (more) =>
      issueCertificate(
        {
          commonName: "root",
          organizations: ["system:masters"],
          notBefore: Date.now() - DAY,
          notAfter: Date.now() + DAY,
          serial: Buffer.from([3]),
          usage: "client",
          ...more,
        },
        issuer,
      );
  });
  afterAll(async () => {
    await own[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const rows: readonly (readonly [title: string, more: () => object])[] = [
    ["that has expired", () => ({ notAfter: Date.now() - 1000 })],
    ["that is not valid yet", () => ({ notBefore: Date.now() + 3_600_000 })],
    ["for servers alone", () => ({ usage: "server", names: ["127.0.0.1"] })],
    ["of a ca that asks as a client", () => ({ usage: "ca", notAfter: Date.now() - 1000 })],
  ];
  test.each(rows)("%s", async (title, more) => {
    await own.attemptShot(title, certify(more()), { method: "GET", path: SECRET }, "401 Unauthorized");
  });

  test("while a correct one is accepted, so that the rows above fail for the tested reason", async () => {
    expect((await own.send(certify({}), { method: "GET", path: SECRET })).status).toBe(200);
  });
});
