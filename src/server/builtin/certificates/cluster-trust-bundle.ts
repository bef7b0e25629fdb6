import {
  validateClusterTrustBundle,
  validateClusterTrustBundleUpdate,
} from "../../../api/validation/certificates/trust-bundle.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const clusterTrustBundleRecord: ResourceRecord = {
  group: "certificates.k8s.io",
  resource: "clustertrustbundles",
  strategy: {
    allowUnconditionalUpdate: false,
    // The rule for the name needs the spec: it is the validator's.
    validateName: () => [],
    validate: validateClusterTrustBundle,
    validateUpdate: validateClusterTrustBundleUpdate,
    fieldLabels: ["spec.signerName"],
    fields: (bundle) => ({ "spec.signerName": text(object(bundle.spec).signerName) }),
    columns: columns(["Name", ["SignerName", "The signer whose certificates the bundle verifies."]], (bundle) => [
      name(bundle),
      text(object(bundle.spec).signerName) || "<none>",
    ]),
  },
};
