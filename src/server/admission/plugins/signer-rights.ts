import type { AdmissionAttributes } from "../attributes.js";
import type { AdmissionContext } from "../plugin.js";
import { checkOf } from "../resource-check.js";

/**
 * Whether the user may do something with a signer of certificates: with it by its name, or with all of its domain by "example.com/*". The
 * resource "signers" is served nowhere; only rights name it.
 */
export async function mayUseSigner(
  { user }: AdmissionAttributes,
  { authorize }: AdmissionContext,
  verb: "approve" | "sign" | "attest",
  signerName: string,
): Promise<boolean> {
  const [domain = ""] = signerName.split("/");
  for (const name of [signerName, `${domain}/*`]) {
    const check = { verb, group: "certificates.k8s.io", version: "*", resource: "signers", name };
    const { decision } = await authorize(checkOf(user, check));
    if (decision === "allow") return true;
  }
  return false;
}
