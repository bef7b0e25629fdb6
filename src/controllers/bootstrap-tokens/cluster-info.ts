import { createHmac } from "node:crypto";
import type { ConfigMap } from "../../api/types/core/v1.js";
import type { BootstrapToken } from "./bootstrap-token.js";

const CONTENT = "kubeconfig";
const SIGNATURE = "jws-kubeconfig-";

/**
 * The ConfigMap with a signature of its kubeconfig by each of the tokens, and no others. Undefined when it has them already, or
 * has no kubeconfig.
 */
export function signedConfigMap(configMap: ConfigMap, tokens: readonly BootstrapToken[]): ConfigMap | undefined {
  const { data = {} } = configMap;
  const content = data[CONTENT];
  if (content === undefined) return undefined;
  const signatures = Object.fromEntries(tokens.map((token) => [SIGNATURE + token.id, signatureOf(content, token)]));
  const found = Object.keys(data).filter((key) => key.startsWith(SIGNATURE));
  const current = found.length === tokens.length && found.every((key) => data[key] === signatures[key]);
  if (current) return undefined;
  const others = Object.entries(data).filter(([key]) => !key.startsWith(SIGNATURE));
  return { ...configMap, data: { ...Object.fromEntries(others), ...signatures } };
}

/** A JSON Web Signature (HS256) of the content without the content (RFC 7515, appendix F). */
export function signatureOf(content: string, { id, secret }: BootstrapToken): string {
  const header = encoded(JSON.stringify({ alg: "HS256", kid: id }));
  const signature = createHmac("sha256", secret)
    .update(`${header}.${encoded(content)}`)
    .digest("base64url");
  return `${header}..${signature}`;
}

const encoded = (text: string): string => Buffer.from(text).toString("base64url");
