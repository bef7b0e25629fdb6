import { text } from "../../machinery/meta/access.js";
import { defaultBetaCertificateSigningRequest } from "../defaults/retired/certificates-v1beta1.js";
import type { VersionTable } from "./version-table.js";
import { withChild } from "./with-child.js";

/** certificates.k8s.io/v1beta1 is shaped like v1, but that a signer can be absent, which v1 has as "". */
export const CERTIFICATES_BETA: VersionTable = {
  "certificates.k8s.io/v1beta1/CertificateSigningRequest": {
    conversion: {
      toHub: (request) => request,
      fromHub: (request) => withChild(request, "spec", (spec) => ({ ...spec, signerName: text(spec.signerName) })),
    },
    applyDefaults: defaultBetaCertificateSigningRequest,
  },
};
