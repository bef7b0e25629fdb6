import type { ClusterTrustBundle } from "../../../api/types/certificates/v1beta1.js";
import { sameValue } from "../../../api/validation/rules.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { handling, WRITES } from "../handling.js";
import type { AdmissionPlugin } from "../plugin.js";
import { refused } from "../refusal.js";
import { mayUseSigner } from "../../authz/signer-rights.js";
import { withoutFields } from "./without-fields.js";

/** A bundle speaks for a signer only when its writer may attest for the signer. */
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
  return { ...bundle, metadata: withoutFields(metadata ?? {}, ...BOOKKEEPING) };
}
