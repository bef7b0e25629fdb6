import type { CertificateSigningRequest } from "../../../api/types/certificates/v1.js";
import { sameValue } from "../../../api/validation/rules.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { handling } from "../handling.js";
import type { AdmissionPlugin } from "../plugin.js";
import { refused } from "../refusal.js";
import { mayUseSigner } from "../../authz/signer-rights.js";

/** Certificates are issued, and requests declared failed, only by users who may do so for their signer. */
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
