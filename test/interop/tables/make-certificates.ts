import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { BasicConstraintsExtension, X509CertificateGenerator } from "@peculiar/x509";
import type { KubernetesClient } from "../../../src/client/index.js";
import { object } from "../../../src/machinery/meta/access.js";
import { certificateRequest } from "../../helpers/certificate-request.js";

const SIGNER = "example.org/signer";

/** The states of a certificate signing request: the types of its conditions, and whether it has a certificate. */
const REQUESTS: Readonly<Record<string, { conditions: readonly string[]; issued?: boolean; seconds?: number }>> = {
  pending: { conditions: [], seconds: 3600 },
  approved: { conditions: ["Approved"], seconds: 86_400 },
  issued: { conditions: ["Approved"], issued: true, seconds: 31_536_000 },
  denied: { conditions: ["Denied"] },
  failed: { conditions: ["Approved", "Failed"] },
};

/** Makes the objects that hold certificates, which are made anew each time: signing requests and trust bundles. */
export async function makeCertificates(client: KubernetesClient): Promise<void> {
  const certificate = await caCertificate();
  const { request } = await certificateRequest("CN=jane,O=developers");
  for (const [name, state] of Object.entries(REQUESTS)) await makeRequest(client, name, request, state, certificate);
  for (const signerName of ["", SIGNER, "example.org/other"]) {
    const name = signerName === "" ? "unsigned" : `${signerName.replaceAll("/", ":")}:bundle`;
    const spec = { ...(signerName !== "" && { signerName }), trustBundle: certificate };
    await client.of("certificates.k8s.io/v1beta1", "ClusterTrustBundle").create({ metadata: { name }, spec });
  }
}

async function makeRequest(
  client: KubernetesClient,
  name: string,
  request: string,
  { conditions, issued, seconds }: (typeof REQUESTS)[string],
  certificate: string,
): Promise<void> {
  const requests = client.of("certificates.k8s.io/v1", "CertificateSigningRequest");
  const made = await requests.create({
    metadata: { name },
    spec: {
      request: Buffer.from(request).toString("base64"),
      signerName: SIGNER,
      usages: ["client auth"],
      ...(seconds !== undefined && { expirationSeconds: seconds }),
    },
  });
  const decisions = conditions.filter((type) => type !== "Failed");
  const written = (types: readonly string[]) =>
    types.map((type) => ({ type, status: "True" as const, reason: "Test" }));
  const approval = { ...made, status: { ...object(made.status), conditions: written(decisions) } };
  if (decisions.length > 0) await requests.update(approval, { subresource: "approval" });
  const status = {
    ...(issued === true && { certificate: Buffer.from(certificate).toString("base64") }),
    conditions: written(conditions),
  };
  if (issued === true || conditions.includes("Failed")) await requests.patchStatus(name, { status }, { type: "merge" });
}

async function caCertificate(): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const parts = { name: "CN=a", keys, signingAlgorithm: algorithm, serialNumber: "01" };
  const extensions = [new BasicConstraintsExtension(true)];
  const certificate = await X509CertificateGenerator.createSelfSigned({ ...parts, extensions }, webcrypto as never);
  return `${certificate.toString("pem")}\n`;
}
