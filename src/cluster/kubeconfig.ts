import type { ClusterPki } from "./pki/cluster-pki.js";

/** A kubeconfig with one cluster, one user and one context that joins them, in the layout kubectl writes. */
export function kubeconfigText(name: string, server: string, pki: ClusterPki): string {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const lines = [
    "apiVersion: v1",
    "clusters:",
    "- cluster:",
    `    certificate-authority-data: ${base64(pki.ca.certificate)}`,
    `    server: ${server}`,
    `  name: ${name}`,
    "contexts:",
    "- context:",
    `    cluster: ${name}`,
    `    user: ${name}`,
    `  name: ${name}`,
    `current-context: ${name}`,
    "kind: Config",
    "users:",
    `- name: ${name}`,
    "  user:",
    `    client-certificate-data: ${base64(pki.admin.certificate)}`,
    `    client-key-data: ${base64(pki.admin.key)}`,
  ];
  return `${lines.join("\n")}\n`;
}
