import type { ClusterTrustBundle } from "../../../api/types/certificates/v1beta1.js";
import {
  validateClusterTrustBundle,
  validateClusterTrustBundleUpdate,
} from "../../../api/validation/certificates/trust-bundle.js";
import { object, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const clusterTrustBundleRecord: RecordOf<ClusterTrustBundle> = {
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
