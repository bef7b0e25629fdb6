import { dictionary } from "../../base/collections/dictionary.js";
import type { CertificateSigningRequest, CertificateSigningRequestStatus } from "../../api/types/certificates/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import { parseCertificateRequest, type CertificateRequest } from "../../machinery/crypto/certificate-request.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import {
  type FieldsOf,
  absent,
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";

/** The signer of the certificates by which kubelets call the API. */
export const KUBELET_CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";

/** Key encipherment is RSA's and may be there. */
const USAGES = ["client auth", "digital signature", "key encipherment"];

/** Returns in Kubernetes' words why a request is not one for a kubelet's client certificate; undefined when it is. */
export function kubeletClientProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  const { subject, alternativeNames: names } = request;
  const { organization = [], commonName = [] } = subject;
  if (organization.length !== 1 || organization[0] !== "system:nodes") {
    return "subject organization is not system:nodes";
  }
  if (names.dns.length > 0) return "DNS subjectAltNames are not allowed";
  if (names.emails.length > 0) return "Email subjectAltNames are not allowed";
  if (names.ips.length > 0) return "IP subjectAltNames are not allowed";
  if (names.uris.length > 0) return "URI subjectAltNames are not allowed";
  if (commonName.at(-1)?.startsWith("system:node:") !== true) {
    return "subject common name does not begin with system:node:";
  }
  const stated = new Set(usages);
  const missing = USAGES.filter((usage) => !stated.has(usage));
  const complete = missing.length === 0 || (missing.length === 1 && missing[0] === "key encipherment");
  if (!complete || stated.size !== USAGES.length - missing.length) return `usages did not match [${USAGES.join(" ")}]`;
  return undefined;
}

type Request = ReceivedObject<CertificateSigningRequest>;
type Status = Received<CertificateSigningRequestStatus>;

/**
 * Signs a client certificate. Times are milliseconds since the epoch. `signer` is the name of the request's signer,
 * "kubernetes.io/kube-apiserver-client".
 */
export type SignClient = (
  request: string,
  validity: { readonly notBefore: number; readonly notAfter: number },
  signer: string,
) => Promise<string>;

/** Why a request may not have a certificate, by signer; undefined when it may. */
const SIGNERS: Readonly<Record<string, (pem: string, usages: readonly string[]) => string | undefined>> = dictionary({
  "kubernetes.io/kube-apiserver-client": (_, usages) => usageProblem(usages),
  [KUBELET_CLIENT_SIGNER]: (pem, usages) => kubeletClientProblem(parseCertificateRequest(pem), usages),
});

const SHORTEST_MS = 600_000;
const LONGEST_MS = 365 * 24 * 3_600_000;
/** Clocks may differ by as much. */
const BACKDATE_MS = 300_000;

/**
 * Signs approved requests for certificates of API clients, kubelets included, with the cluster's CA. `signers` of the cluster limits which
 * signer names it serves.
 */
export function certificateSigner({ client, manager, clock, cluster }: ControllerContext): void {
  const requests = client.of<KubeObject>("certificates.k8s.io/v1", "CertificateSigningRequest");
  const signer = new CertificateSigner(cluster.signClient, clock);
  const isOwn = (request: Request): boolean =>
    isApproved(request) && cluster.signers?.has(text(object(request.spec).signerName)) !== false;
  manager
    .controllerFor("certificates.k8s.io/v1", "CertificateSigningRequest", {
      when: isOwn,
    })
    .named("certificatesigningrequest-signing-controller")
    .reconcile(async ({ object: request }) => {
      if (request === undefined || !isOwn(request)) return;
      const status = { ...object(request.status), ...(await signer.answer(request)) };
      try {
        await requests.updateStatus({ ...request, status } satisfies FieldsOf<CertificateSigningRequest>);
      } catch (error) {
        // Deleted, or changed since the cache saw it: the change reconciles the request again.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    });
}

/** Whether the request is approved and not answered yet, by a signer of this controller. */
function isApproved(request: Request): boolean {
  if (SIGNERS[text(object(request.spec).signerName)] === undefined) return false;
  const status = object(request.status);
  const types = objects(status.conditions).map(({ type }) => type);
  const decided = types.includes("Approved") && !types.includes("Denied") && !types.includes("Failed");
  return decided && text(status.certificate) === "";
}

class CertificateSigner {
  constructor(
    private readonly sign: SignClient,
    private readonly clock: Clock,
  ) {}

  /** The fields of the status that answer the request. */
  async answer(request: Request): Promise<Status> {
    const spec = object(request.spec);
    const pem = Buffer.from(text(spec.request), "base64").toString("latin1");
    const problem = SIGNERS[text(spec.signerName)]?.(pem, list(spec.usages).map(text));
    if (problem !== undefined) return failed(request, "SignerValidationFailure", problem);
    const asked = absent(spec.expirationSeconds) ? LONGEST_MS : number(spec.expirationSeconds) * 1000;
    const now = this.clock.now();
    const validity = {
      notBefore: now - BACKDATE_MS,
      notAfter: now + Math.min(Math.max(asked, SHORTEST_MS), LONGEST_MS),
    };
    try {
      return { certificate: Buffer.from(await this.sign(pem, validity, text(spec.signerName))).toString("base64") };
    } catch (error) {
      return failed(request, "SigningError", errorMessage(error));
    }
  }
}

function usageProblem(usages: readonly string[]): string | undefined {
  const known = ["digital signature", "key encipherment", "client auth"];
  const wrong = usages.find((usage) => !known.includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}

function failed(request: Request, reason: string, message: string): Status {
  const conditions = objects(object(request.status).conditions);
  return { conditions: [...conditions, { type: "Failed", status: "True", reason, message }] };
}
