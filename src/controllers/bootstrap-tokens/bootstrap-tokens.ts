import type { FieldsOf } from "../../machinery/meta/received.js";
import type { InformerSelection } from "../../client/informers/informer-factory.js";
import { createHmac } from "node:crypto";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import type { ConfigMap, Secret } from "../../api/types/core/v1.js";
import { canonicalizeTime, TimeParseError } from "../../machinery/text/go/go-time.js";

/** Secrets of kube-system that hold bootstrap tokens: "bootstrap-token-abcdef" has the token "abcdef.<token-secret>". */
const ofBootstrapTokens = {
  namespace: "kube-system",
  fieldSelector: "type=bootstrap.kubernetes.io/token",
} satisfies FieldsOf<InformerSelection>;

const SECRET_NAME = /^bootstrap-token-([a-z0-9]{6})$/;

interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

/** The remaining life of a token in milliseconds: infinite without an expiration, 0 where it has expired or is not a time. */
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

/** The bootstrap token in a secret, if it may sign; undefined for any other secret. */
export function signingToken(secret: Secret, now: number): BootstrapToken | undefined {
  const id = valueOf(secret, "token-id");
  const own = valueOf(secret, "token-secret");
  if (id === "" || SECRET_NAME.exec(secret.metadata?.name ?? "")?.[1] !== id || own === "") return undefined;
  if (timeLeft(secret, now) === 0 || valueOf(secret, "usage-bootstrap-signing") !== "true") return undefined;
  return { id, secret: own };
}

const valueOf = ({ data }: Secret, key: string): string => Buffer.from(data?.[key] ?? "", "base64").toString();

const NAMESPACE = "kube-public";
const NAME = "cluster-info";

/**
 * Signs the kubeconfig of the ConfigMap kube-public/cluster-info with every bootstrap token that may sign, so that new nodes can trust it.
 */
export function bootstrapSigner({ client, manager, clock }: ControllerContext): void {
  const secrets = manager.informers.of("v1", "Secret", ofBootstrapTokens);
  manager
    .controllerFor("v1", "ConfigMap", { namespace: NAMESPACE, fieldSelector: `metadata.name=${NAME}` })
    .named("bootstrap-signer-controller")
    .watches("v1", "Secret", () => [{ namespace: NAMESPACE, name: NAME }], ofBootstrapTokens)
    .reconcile(async ({ object: configMap }) => {
      if (configMap === undefined) return;
      const tokens = secrets.lister.list().flatMap((secret) => signingToken(secret, clock.now()) ?? []);
      const signed = signedConfigMap(configMap, tokens);
      if (signed === undefined) return;
      try {
        await client.of("v1", "ConfigMap").namespace(NAMESPACE).update(signed);
      } catch (error) {
        // Deleted, or changed since the cache saw it: the change reconciles the ConfigMap again.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    });
}

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

/** Deletes the secrets of bootstrap tokens that have expired. */
export function tokenCleaner({ client, manager, clock }: ControllerContext): void {
  manager
    .controllerFor("v1", "Secret", ofBootstrapTokens)
    .named("token-cleaner-controller")
    .reconcile(async ({ namespace, name, object: secret }) => {
      if (secret === undefined) return;
      const left = timeLeft(secret, clock.now());
      if (left === Number.POSITIVE_INFINITY) return;
      if (left > 0) return { requeueAfterMilliseconds: left };
      try {
        const { uid } = secret.metadata ?? {};
        await client.of("v1", "Secret").namespace(namespace).delete(name, { preconditions: { uid } });
      } catch (error) {
        // Gone, or another secret of the name.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    });
}
