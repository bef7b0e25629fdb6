import type { CertificateSigningRequest } from "../../../api/types/certificates/v1.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { handling } from "../handling.js";
import type { AdmissionPlugin } from "../plugin.js";
import { refused } from "../refusal.js";
import { mayUseSigner } from "../../authz/signer-rights.js";

/** Certificate requests are approved and denied only by users who may do so for their signer. */
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
