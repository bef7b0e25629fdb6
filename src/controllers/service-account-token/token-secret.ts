import type { FieldsOf } from "../../machinery/meta/received.js";
import type { InformerSelection } from "../../client/informers/informer-factory.js";
import {
  ACCOUNT_NAME,
  ACCOUNT_UID,
  TOKEN_SECRET_TYPE,
  tokenSecretClaims,
} from "../../api/service-accounts/token-secrets.js";
import type { Secret, ServiceAccount } from "../../api/types/core/v1.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** The values that fill the Secret of a token. */
export interface TokenSource {
  /** PEM of the authority that pods verify the API server by; "" for none. */
  readonly caCertificate: string;
  /** A signed token of these claims. */
  readonly signToken: (claims: JsonObject) => string;
}

/** The account that a token secret is for. Without a uid, any account of the name. */
export interface AccountReference {
  readonly name: string;
  readonly uid: string;
}

/** The service account that a Secret names; undefined where it names none. */
export function accountOf({ metadata }: Secret): AccountReference | undefined {
  const name = metadata?.annotations?.[ACCOUNT_NAME] ?? "";
  return name === "" ? undefined : { name, uid: metadata?.annotations?.[ACCOUNT_UID] ?? "" };
}

/** Whether the reference means this account, of the same namespace. */
export function refersTo({ name, uid }: AccountReference, { metadata }: ServiceAccount): boolean {
  return metadata?.name === name && (uid === "" || uid === metadata.uid);
}

/**
 * Returns the Secret with its CA certificate, namespace and token filled in, and an outdated CA certificate replaced. Undefined when
 * nothing changes. An existing token stays.
 */
export function filledSecret(secret: Secret, account: ServiceAccount, source: TokenSource): Secret | undefined {
  const { metadata = {}, data = {} } = secret;
  const added: Record<string, string> = {};
  const authority = base64(source.caCertificate);
  if (authority !== "" && data["ca.crt"] !== authority) added["ca.crt"] = authority;
  if (!data["namespace"]) added["namespace"] = base64(metadata.namespace ?? "");
  if (!data["token"]) {
    added["token"] = base64(source.signToken(tokenSecretClaims(account as KubeObject, secret as KubeObject)));
  }
  if (Object.keys(added).length === 0) return undefined;
  const { name = "", uid = "" } = account.metadata ?? {};
  const annotations = { ...metadata.annotations, [ACCOUNT_NAME]: name, [ACCOUNT_UID]: uid };
  return { ...secret, metadata: { ...metadata, annotations }, data: { ...data, ...added } };
}

/** Returns the account without its reference to a secret; undefined when it has none. */
export function withoutSecret(account: ServiceAccount, secret: string): ServiceAccount | undefined {
  const secrets = account.secrets ?? [];
  const left = secrets.filter(({ name }) => name !== secret);
  return left.length === secrets.length ? undefined : { ...account, secrets: left };
}

export const ofTokenSecrets = { fieldSelector: `type=${TOKEN_SECRET_TYPE}` } satisfies FieldsOf<InformerSelection>;

const base64 = (text: string): string => Buffer.from(text).toString("base64");
