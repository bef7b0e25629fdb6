import type { KeyPair } from "../machinery/crypto/issue-certificate.js";

/**
 * A kubeconfig with one cluster, one user (by default the administrator) and one context that joins them. `ca` verifies the server. JSON, which every reader of kubeconfigs
 * takes as YAML, so that our own need not load a YAML parser.
 */
export function kubeconfigText(
  name: string,
  server: string,
  { ca, admin }: { readonly ca: Pick<KeyPair, "certificate">; readonly admin: KeyPair },
  user: KeyPair = admin,
): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const config = {
    apiVersion: "v1",
    clusters: [{ cluster: { "certificate-authority-data": base64(ca.certificate), server }, name }],
    contexts: [{ context: { cluster: name, user: name }, name }],
    "current-context": name,
    kind: "Config",
    users: [
      {
        name,
        user: {
          "client-certificate-data": base64(user.certificate),
          "client-key-data": base64(user.key),
        },
      },
    ],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
