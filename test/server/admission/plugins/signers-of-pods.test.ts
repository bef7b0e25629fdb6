import { afterAll, beforeAll, expect, test } from "vitest";
import { releaseOf } from "../../../../src/api/facts/index.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { type Answer, call } from "../../../helpers/api-caller.js";

const VERSIONS = ["1.36", "1.37"] as const;
type Version = (typeof VERSIONS)[number];

const servers = new Map<Version, AdmittingServer>();
const uids = new Map<string, string>();

/** A pod that is stored with a volume of a signer's certificates, whatever the server's version makes of such a volume. */
function storedPod(): Uint8Array {
  const sources = [
    { podCertificate: { signerName: "example.com/mounted", keyType: "ED25519", credentialBundlePath: "c" } },
  ];
  return Buffer.from(
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "default", uid: "pod-uid", creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: {
        nodeName: "mine",
        serviceAccountName: "default",
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "v", projected: { sources } }],
      },
    }),
  );
}

beforeAll(async () => {
  for (const version of VERSIONS) {
    const kv = openMemoryKv();
    const server = await admittingServer({ enable: ["NodeRestriction"] }, kv, undefined, {
      release: await releaseOf(version),
      runtimeConfig: { "certificates.k8s.io/v1beta1": true },
      authorizers: [
        ({ verb, resource }) => ({
          decision:
            verb === "request-podcertificate-signer" && resource !== "example.com/free" ? "no-opinion" : "allow",
        }),
      ],
    });
    servers.set(version, server);
    const node = await done(server.api, "POST", "/api/v1/nodes", { metadata: { name: "mine" } });
    const account = await done(server.api, "GET", "/api/v1/namespaces/default/serviceaccounts/default");
    for (const [what, made] of [
      ["node", node],
      ["account", account],
    ] as const) {
      uids.set(`${version} ${what}`, made.at("metadata.uid") as string);
    }
    await kv.create("/registry/pods/default/p", storedPod());
    await done(server.api, "GET", "/api/v1/namespaces/default/pods/p");
  }
});

afterAll(() => Promise.all([...servers.values()].map((server) => server[Symbol.asyncDispose]())));

function request(version: Version, signerName: string): Promise<Answer> {
  const kubelet = (servers.get(version) as AdmittingServer).as("system:node:mine", "system:nodes");
  const path = "/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests?dryRun=All";
  return call(kubelet, "POST", path, {
    metadata: { name: "r" },
    spec: {
      signerName,
      podName: "p",
      podUID: "pod-uid",
      serviceAccountName: "default",
      serviceAccountUID: uids.get(`${version} account`),
      nodeName: "mine",
      nodeUID: uids.get(`${version} node`),
    },
  });
}

test.each([
  ["1.37", "example.com/mounted", true],
  ["1.37", "example.com/free", true],
  ["1.37", "example.com/other", false],
  ["1.36", "example.com/other", true],
] as const)(
  "K37-111: NodeRestriction of %s lets a node ask %s for a pod's certificate: %s",
  async (version, signer, isLet) => {
    const answer = await request(version, signer);
    const unused = `signerName "${signer}" not found in pod spec volume`;
    if (isLet) expect(answer.text).not.toContain("is forbidden");
    else {
      expect(answer.status).toBe(403);
      expect(answer.at("message")).toContain(`${unused}, system:node:mine is not authorized`);
    }
  },
);
