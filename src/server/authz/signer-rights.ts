import type { User } from "../request/user.js";
import type { Authorizer } from "./authorizer.js";

/**
 * Whether a user may do something with a signer of certificates: with it by its name, or with all of its domain by "example.com/*". The
 * resource "signers" is served nowhere; only rights name it.
 */
export async function mayUseSigner(
  user: User,
  authorize: Authorizer,
  verb: "approve" | "sign" | "attest",
  signerName: string,
): Promise<boolean> {
  const [domain = ""] = signerName.split("/");
  const signers = { apiGroup: "certificates.k8s.io", apiVersion: "*", resource: "signers", subresource: "", path: "" };
  for (const name of [signerName, `${domain}/*`]) {
    const asked = { ...signers, user, verb, isResourceRequest: true, namespace: "", name };
    const { decision } = await authorize(asked);
    if (decision === "allow") return true;
  }
  return false;
}
