import type { Secret } from "../../api/types/core/v1.js";
import { canonicalizeTime, TimeParseError } from "../../machinery/text/go/go-time.js";

/** Secrets of kube-system that hold bootstrap tokens: "bootstrap-token-abcdef" has the token "abcdef.<token-secret>". */
export const ofBootstrapTokens = {
  namespace: "kube-system",
  fieldSelector: "type=bootstrap.kubernetes.io/token",
};

const NAME = /^bootstrap-token-([a-z0-9]{6})$/;

export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

/** How long a token is still good, in milliseconds: infinite without an expiration, 0 for one that has expired or is no time. */
export function timeLeft(secret: Secret, now: number): number {
  const expiration = valueOf(secret, "expiration");
  if (expiration === "") return Number.POSITIVE_INFINITY;
  try {
    return Math.max(0, Date.parse(canonicalizeTime(expiration)) - now);
  } catch (error) {
    if (error instanceof TimeParseError) return 0;
    throw error;
  }
}

/** The token of a secret that may sign; undefined for every other secret. */
export function signingToken(secret: Secret, now: number): BootstrapToken | undefined {
  const id = valueOf(secret, "token-id");
  const own = valueOf(secret, "token-secret");
  if (id === "" || NAME.exec(secret.metadata?.name ?? "")?.[1] !== id || own === "") return undefined;
  if (timeLeft(secret, now) === 0 || valueOf(secret, "usage-bootstrap-signing") !== "true") return undefined;
  return { id, secret: own };
}

const valueOf = ({ data }: Secret, key: string): string => Buffer.from(data?.[key] ?? "", "base64").toString();
