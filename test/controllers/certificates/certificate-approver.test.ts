import { X509Certificate } from "node:crypto";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type {
  CertificateSigningRequest,
  CertificateSigningRequestStatus,
  KeyUsage,
} from "../../../src/api/types/certificates/v1.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import { startCluster } from "../../../src/cluster/index.js";
import {
  approved,
  isOpen,
  recognize,
  reviewOf,
  certificateApprover,
} from "../../../src/controllers/certificates/certificate-approver.js";
import { kubeletClientProblem } from "../../../src/controllers/certificates/certificate-signer.js";
import { text } from "../../../src/machinery/meta/access.js";
import { call } from "../../helpers/api-caller.js";
import { certificateRequest } from "../../helpers/certificate-request.js";
import { eventually } from "../../helpers/eventually.js";
import { manualControllers, runControllers } from "../../helpers/manual-controllers.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";
const ALL: KeyUsage[] = ["digital signature", "key encipherment", "client auth"];
const NONE = { dns: [], emails: [], uris: [], ips: [] };
const NODE = { organization: ["system:nodes"], commonName: ["system:node:n1"] };

describe("recognizing the request for a kubelet's client certificate", () => {
  test.each([
    ["is asked for", NODE, NONE, ALL, undefined],
    ["needs no key encipherment", NODE, NONE, ["client auth", "digital signature"], undefined],
    ["may name usages twice", NODE, NONE, [...ALL, "client auth"], undefined],
    ["is for nodes", { ...NODE, organization: ["x"] }, NONE, ALL, "subject organization is not system:nodes"],
    [
      "is for nodes alone",
      { ...NODE, organization: ["system:nodes", "x"] },
      NONE,
      ALL,
      "subject organization is not system:nodes",
    ],
    ["has an organization", { commonName: NODE.commonName }, NONE, ALL, "subject organization is not system:nodes"],
    ["has no DNS names", NODE, { ...NONE, dns: ["d"] }, ALL, "DNS subjectAltNames are not allowed"],
    ["has no mail addresses", NODE, { ...NONE, emails: ["a@b"] }, ALL, "Email subjectAltNames are not allowed"],
    ["has no addresses", NODE, { ...NONE, ips: ["10.0.0.1"] }, ALL, "IP subjectAltNames are not allowed"],
    ["has no URIs", NODE, { ...NONE, uris: ["a:b"] }, ALL, "URI subjectAltNames are not allowed"],
    [
      "names a node",
      { ...NODE, commonName: ["jane"] },
      NONE,
      ALL,
      "subject common name does not begin with system:node:",
    ],
    [
      "has its usages",
      NODE,
      NONE,
      ["digital signature", "key encipherment"],
      "usages did not match [client auth digital signature key encipherment]",
    ],
    [
      "has no other usages",
      NODE,
      NONE,
      [...ALL, "server auth"],
      "usages did not match [client auth digital signature key encipherment]",
    ],
    ["has usages", NODE, NONE, [], "usages did not match [client auth digital signature key encipherment]"],
  ])("which %s", (_, subject, alternativeNames, usages, problem) => {
    expect(kubeletClientProblem({ subject, alternativeNames }, usages)).toBe(problem);
  });
});

describe("the approver of certificate signing requests", () => {
  let pem = "";
  beforeAll(async () => {
    pem = (await certificateRequest("CN=system:node:n1,O=system:nodes")).request;
  });
  const request = (spec: Partial<CertificateSigningRequest["spec"]> = {}): CertificateSigningRequest => ({
    metadata: { name: "r" },
    spec: { request: Buffer.from(pem).toString("base64"), signerName: SIGNER, usages: ALL, ...spec },
  });

  test.each<[string, Partial<CertificateSigningRequest["spec"]>, string[]]>([
    ["of a bootstrap token's user", { username: "system:bootstrap:abcdef" }, ["nodeclient"]],
    ["of the node itself", { username: "system:node:n1" }, ["selfnodeclient", "nodeclient"]],
    ["of another node", { username: "system:node:n2" }, ["nodeclient"]],
    ["for another signer", { signerName: "kubernetes.io/kube-apiserver-client" }, []],
    ["with other usages", { usages: ["client auth"] }, []],
  ])("recognizes a request %s", (_, spec, subresources) => {
    expect(recognize(request(spec)).map(({ subresource }) => subresource)).toEqual(subresources);
  });

  test("sends an access review for the request's user", () => {
    const asked = request({ username: "u", uid: "1", groups: ["g"], extra: { e: ["x"] } });
    expect(reviewOf(asked, { subresource: "nodeclient", message: "" })).toEqual({
      user: "u",
      uid: "1",
      groups: ["g"],
      extra: { e: ["x"] },
      resourceAttributes: {
        group: "certificates.k8s.io",
        resource: "certificatesigningrequests",
        verb: "create",
        subresource: "nodeclient",
        version: "*",
      },
    });
  });

  test.each<[string, CertificateSigningRequestStatus, boolean]>([
    ["new", {}, true],
    ["approved", { conditions: [{ type: "Approved", status: "True" }] }, false],
    ["denied", { conditions: [{ type: "Denied", status: "True" }] }, false],
    ["failed", { conditions: [{ type: "Failed", status: "True" }] }, true],
    ["answered", { certificate: "eA==" }, false],
  ])("decides about a request that is %s, if it is undecided: %#", (_, status, open) => {
    expect(isOpen({ ...request(), status })).toBe(open);
  });

  test("keeps other conditions of the request when it approves", () => {
    const conditions = [{ type: "Failed", status: "True" as const }];
    const after = approved({ ...request(), status: { conditions } }, { subresource: "nodeclient", message: "m" });
    expect(after.status?.conditions).toEqual([
      ...conditions,
      { type: "Approved", status: "True", reason: "AutoApproved", message: "m" },
    ]);
  });
});

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

async function ask(api: Transport, name: string, signerName = SIGNER): Promise<void> {
  const { request } = await certificateRequest("O=system:nodes,CN=system:node:n1");
  const spec = { request: Buffer.from(request).toString("base64"), signerName, usages: ALL };
  const answer = await call(api, "POST", REQUESTS, { metadata: { name }, spec });
  expect(answer.status, answer.text).toBe(201);
}

test("on a cluster, a kubelet's certificate request is approved and signed", async () => {
  const controllers = [...(quietCluster.controllers || []), "certificatesigningrequest-approving-controller"];
  const cluster = await startCluster({ port: false, ...quietCluster, controllers });
  onTestFinished(() => cluster.close());
  const api = cluster.transport();
  await ask(api, "other", "kubernetes.io/kube-apiserver-client");
  await ask(api, "good");
  const pem = await eventually(async () => {
    const certificate = text((await call(api, "GET", `${REQUESTS}/good`)).at("status.certificate"));
    expect(certificate).not.toBe("");
    return Buffer.from(certificate, "base64").toString();
  });
  expect(new X509Certificate(pem).subject).toBe("O=system:nodes\nCN=system:node:n1");
  expect((await call(api, "GET", `${REQUESTS}/good`)).at("status.conditions.0")).toMatchObject({
    type: "Approved",
    status: "True",
    reason: "AutoApproved",
    message: "Auto approving kubelet client certificate after SubjectAccessReview.",
  });
  expect((await call(api, "GET", `${REQUESTS}/other`)).at("status")).toEqual({});
});

test("the approver repeats an access review that denied, after increasing delays", async () => {
  const cluster = await manualControllers();
  onTestFinished(() => cluster.close());
  const asked: number[] = [];
  let allowed = false;
  // The server's own reviews allow everything.
  const reviewing: Transport = {
    close: () => Promise.resolve(),
    send(request) {
      if (!request.path.includes("subjectaccessreviews")) return cluster.api.send(request);
      asked.push(cluster.time.now());
      const body = Buffer.from(JSON.stringify({ spec: {}, status: { allowed } }));
      const headers = { "content-type": "application/json" };
      return Promise.resolve({ status: 201, headers, body: Readable.from([body]) });
    },
  };
  const run = await runControllers(reviewing, cluster.time, [certificateApprover]);
  await ask(cluster.api, "early");
  for (const wait of [200, 400, 800]) await run.pass(wait);
  expect(asked.map((time) => time - (asked[0] ?? 0))).toEqual([0, 200, 600, 1400]);
  allowed = true;
  await run.pass(1600);
  expect((await call(cluster.api, "GET", `${REQUESTS}/early`)).at("status.conditions.0.type")).toBe("Approved");
  await run.close();
});
