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
} from "../../src/machinery/codec/der-writer.js";
import { pemText } from "../../src/machinery/codec/pem.js";
import { done } from "../helpers/admitting-server.js";
import { call } from "../helpers/api-caller.js";
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

/** Who the caller is, by the certificate that the cluster signs for a subject of these attributes. */
async function signedUser(attributes: readonly Uint8Array[]): Promise<unknown> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const info = sequence(integer(Buffer.of(0)), sequence(...attributes), publicKey, implicit(0x20, Buffer.alloc(0)));
  const algorithm = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
  const pem = pemText("CERTIFICATE REQUEST", sequence(info, algorithm, bitString(sign("sha256", info, privateKey))));
  const name = `asked-${count++}`;
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
  expect((await call(api, "POST", CSRS, body, asNode)).status).toBe(201);
  let certificate = "";
  await eventually(async () => {
    certificate = (await call(api, "GET", `${CSRS}/${name}`)).at("status.certificate") as string;
    expect(certificate).toEqual(expect.any(String));
  });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
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
  ["a group in a string of another type", [attribute(ORGANIZATION, universal("system:masters"))]],
  ["a second name in a string of another type", [attribute(COMMON_NAME, universal("system:node:n2"))]],
  ["a uid", [attribute(UID, utf8String("stolen"))]],
])("a node that asks for %s gets its own name and group", async (_, more) => {
  const user = await signedUser([...NODE, ...more]);
  expect(user).toMatchObject(OWN);
  expect(user).not.toHaveProperty("uid");
});
