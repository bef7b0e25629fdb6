import { errorMessage } from "../../../base/text/error-message.js";
import { rootCertificatesIn } from "../../../machinery/crypto/certificates.js";

/** What is wrong with a bundle of certificates in base64; undefined for a good one and for none. */
export function caBundleProblem(bundle: string): string | undefined {
  if (bundle === "") return undefined;
  try {
    rootCertificatesIn(Buffer.from(bundle, "base64").toString("latin1"));
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
