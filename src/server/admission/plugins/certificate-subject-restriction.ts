import type { CertificateSigningRequest } from "../../../api/types/certificates/v1.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { parseCertificateRequest } from "../../../machinery/crypto/certificate-request.js";
import { object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { AdmissionAttributes } from "../attributes.js";
import { handling } from "../handling.js";
import type { AdmissionPlugin } from "../plugin.js";
import { refused } from "../refusal.js";

const SIGNER = "kubernetes.io/kube-apiserver-client";
const ADMINISTRATORS = "system:masters";

/** Refuses requests for a client certificate of the group whose members may do everything. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  handles: handling(["CREATE"], "certificatesigningrequests.certificates.k8s.io"),
  validate(attributes) {
    const request: ReceivedObject<CertificateSigningRequest> | undefined = attributes.object;
    const spec = object(request?.spec);
    if (spec.signerName !== SIGNER) return;
    if (!organizationsOf(attributes, text(spec.request)).includes(ADMINISTRATORS)) return;
    throw refused(attributes, `use of ${SIGNER} signer with ${ADMINISTRATORS} group is not allowed`);
  },
};

function organizationsOf(attributes: AdmissionAttributes, base64: string): readonly string[] {
  try {
    const { subject } = parseCertificateRequest(Buffer.from(base64, "base64").toString("latin1"));
    return subject.organization ?? [];
  } catch (error) {
    throw refused(attributes, `failed to parse CSR: ${errorMessage(error)}`);
  }
}
