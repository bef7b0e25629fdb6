import type { CertificateSigningRequest } from "../../../api/types/certificates/v1.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { type FieldsOf, object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { handling, WRITES, type AdmissionPlugin } from "../plugin.js";
import { refused, type AdmissionAttributes } from "../attributes.js";
import { mayUseSigner } from "../../authz/signer-rights.js";
import { sameValue } from "../../../api/validation/rules.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { parseCertificateRequest } from "../../../machinery/crypto/certificate-request.js";
import type { ClusterTrustBundle } from "../../../api/types/certificates/v1beta1.js";
import type { ApiObject, KubeObject } from "../../../machinery/meta/object.js";
import { withoutFields } from "./without-fields.js";

/** Rejects an approval or denial of a certificate request unless the user may approve for its signer. */
export const certificateApproval: AdmissionPlugin = {
  name: "CertificateApproval",
  handles: handling(["UPDATE"], "certificatesigningrequests.certificates.k8s.io/approval"),
  async validate(attributes, context) {
    // The new object may name another signer.
    const old: ReceivedObject<CertificateSigningRequest> | undefined = attributes.oldObject;
    const signer = text(object(old?.spec).signerName);
    if (await mayUseSigner(attributes.user, context.authorize, "approve", signer)) return;
    throw refused(attributes, `user not permitted to approve requests with signerName ${goQuote(signer)}`);
  },
};

/** Rejects a change of the certificate or the conditions in a request's status unless the user may sign for the request's signer. */
export const certificateSigning: AdmissionPlugin = {
  name: "CertificateSigning",
  handles: handling(["UPDATE"], "certificatesigningrequests.certificates.k8s.io/status"),
  async validate(attributes, context) {
    const request: ReceivedObject<CertificateSigningRequest> | undefined = attributes.object;
    const oldObject: ReceivedObject<CertificateSigningRequest> | undefined = attributes.oldObject;
    const [status, before] = [object(request?.status), object(oldObject?.status)];
    const isSigned = (["certificate", "conditions"] as const).some((field) => !sameValue(status[field], before[field]));
    if (!isSigned) return;
    const signer = text(object(oldObject?.spec).signerName);
    if (await mayUseSigner(attributes.user, context.authorize, "sign", signer)) return;
    throw refused(attributes, `user not permitted to sign requests with signerName ${goQuote(signer)}`);
  },
};

const SIGNER = "kubernetes.io/kube-apiserver-client";
const ADMINISTRATORS = "system:masters";

/** Rejects requests for a client certificate of the group system:masters, whose members may do everything. */
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

/** Rejects a ClusterTrustBundle of a signer unless its writer may attest for that signer. */
export const clusterTrustBundleAttest: AdmissionPlugin = {
  name: "ClusterTrustBundleAttest",
  handles: handling(WRITES, "clustertrustbundles.certificates.k8s.io"),
  async validate(attributes, context) {
    const { oldObject } = attributes;
    const bundle: ReceivedObject<ClusterTrustBundle> | undefined = attributes.object;
    const signer = text(object(bundle?.spec).signerName);
    if (signer === "") return;
    // The garbage collector and a migration of storage attest nothing.
    if (bundle !== undefined && oldObject !== undefined && sameValue(attested(bundle), attested(oldObject))) return;
    if (await mayUseSigner(attributes.user, context.authorize, "attest", signer)) return;
    throw refused(attributes, `user not permitted to attest for signerName ${goQuote(signer)}`);
  },
};

const BOOKKEEPING = ["ownerReferences", "finalizers", "managedFields", "resourceVersion"];

/** Without what the garbage collector changes, and what every write does. */
function attested({ metadata, ...bundle }: KubeObject): object {
  return { ...bundle, metadata: withoutFields(metadata ?? {}, ...BOOKKEEPING) } satisfies FieldsOf<ApiObject>;
}
