import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { request } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import {
  bitString,
  implicit,
  integer,
  objectIdentifier,
  sequence,
  set,
  tlv,
  utf8String,
} from "../../src/machinery/crypto/der.js";
import { pemText } from "../../src/machinery/crypto/pem.js";
import { done } from "../helpers/admitting-server.js";
import { type Answer, call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";

// A node whose certificates are renewed without a person asks for more than its own name, in parts of the subject that the approver
// does not read.

const COMMON_NAME = "2.5.4.3";
const ORGANIZATION = "2.5.4.10";
const UID = "1.3.6.1.4.1.57683.2";
const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster();
  api = cluster.transport();
  await done(api, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "renewal" },
    roleRef: {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
    },
    subjects: [{ kind: "Group", name: "system:nodes", apiGroup: "rbac.authorization.k8s.io" }],
  });
});

afterAll(() => cluster.close());

const attribute = (type: string, value: Uint8Array): Buffer => set(sequence(objectIdentifier(type), value));

/** A UniversalString, four bytes for each character: OpenSSL reads it, Go does not. */
const universal = (text: string): Buffer => {
  const codes = Array.from(Buffer.from(text, "latin1"), (code) => Buffer.of(0, 0, 0, code));
  return tlv(0x1c, Buffer.concat(codes));
};

const NODE = [
  attribute(ORGANIZATION, utf8String("system:nodes")),
  attribute(COMMON_NAME, utf8String("system:node:n1")),
];

let count = 0;

/** A request for a subject of these attributes, and its key. */
function requested(attributes: readonly Uint8Array[]) {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const info = sequence(integer(Buffer.of(0)), sequence(...attributes), publicKey, implicit(0x20, Buffer.alloc(0)));
  const algorithm = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
  const pem = pemText("CERTIFICATE REQUEST", sequence(info, algorithm, bitString(sign("sha256", info, privateKey))));
  return { pem, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** Sends a request as the node does. */
async function asked(name: string, pem: string): Promise<Answer> {
  const body = {
    metadata: { name },
    spec: {
      request: Buffer.from(pem).toString("base64"),
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages: ["digital signature", "client auth"],
    },
  };
  const asNode = {
    headers: { "impersonate-user": "system:node:n1" },
    repeatedHeaders: { "impersonate-group": ["system:nodes"] },
  };
  return call(api, "POST", CSRS, body, asNode);
}

/** Who the caller is, by the certificate that the cluster signs for a subject of these attributes. */
async function signedUser(attributes: readonly Uint8Array[]): Promise<unknown> {
  const { pem, key } = requested(attributes);
  const name = `asked-${count++}`;
  expect((await asked(name, pem)).status).toBe(201);
  let certificate = "";
  await eventually(async () => {
    certificate = (await call(api, "GET", `${CSRS}/${name}`)).at("status.certificate") as string;
    expect(certificate).toEqual(expect.any(String));
  });
  const answer = await whoAmI({ cert: Buffer.from(certificate, "base64").toString(), key });
  return (JSON.parse(answer) as { status: { userInfo: unknown } }).status.userInfo;
}

function whoAmI(identity: { readonly cert: string; readonly key: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${cluster.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
      { ...identity, method: "POST", ca: cluster.caCertificate, headers: { "content-type": "application/json" } },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => (text += part));
        answer.on("end", () => resolve(text));
      },
    );
    sent.on("error", reject);
    sent.end(JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }));
  });
}

const OWN = { username: "system:node:n1", groups: ["system:nodes", "system:authenticated"] };

test.each([
  ["no more", []],
  ["a uid", [attribute(UID, utf8String("stolen"))]],
])("a node that requests a certificate with %s gets one with its own name and group", async (_, more) => {
  const user = await signedUser([...NODE, ...more]);
  expect(user).toMatchObject(OWN);
  expect(user).not.toHaveProperty("uid");
});

test.each([
  ["a group in a UniversalString", [attribute(ORGANIZATION, universal("system:masters"))], 28],
  ["a second name in a UniversalString", [attribute(COMMON_NAME, universal("system:node:n2"))], 28],
  ["a group in a VisibleString", [attribute(ORGANIZATION, tlv(0x1a, Buffer.from("system:masters")))], 26],
  ["a name in a GeneralString", [attribute(COMMON_NAME, tlv(0x1b, Buffer.from("system:node:n2")))], 27],
  ["a group in octets", [attribute(ORGANIZATION, tlv(0x04, Buffer.from("system:masters")))], 4],
  ["a number", [attribute(ORGANIZATION, tlv(0x02, Buffer.of(5)))], 2],
  ["an attribute without a part here", [attribute("2.5.4.12", universal("boss"))], 28],
])("a request whose subject has %s is refused: Go's x509 reads no such certificate", async (_, more, tag) => {
  const answer = await asked(`refused-${count++}`, requested([...NODE, ...more]).pem);
  expect([answer.status, answer.at("message")]).toEqual([
    422,
    expect.stringContaining(`x509: invalid RDNSequence: invalid attribute value: unsupported string type: ${tag}`),
  ]);
});

test("a certificate request with string types that Go's x509 reads is accepted", async () => {
  const types = [0x0c, 0x12, 0x13, 0x14, 0x16];
  const texts = types.map((tag) => attribute("2.5.4.11", tlv(tag, Buffer.from("12 3"))));
  const wide = attribute("2.5.4.11", tlv(0x1e, Buffer.from([0, 0x61])));
  expect((await asked(`asked-${count++}`, requested([...NODE, ...texts, wide]).pem)).status).toBe(201);
});
