import type { KubeObject } from "../../machinery/meta/object.js";
import type { JsonObject } from "../../machinery/meta/json.js";

/** The type of Secrets that hold a token of a service account which never expires: a legacy token in Kubernetes' words. */
export const TOKEN_SECRET_TYPE = "kubernetes.io/service-account-token";
export const ACCOUNT_NAME = "kubernetes.io/service-account.name";
export const ACCOUNT_UID = "kubernetes.io/service-account.uid";

/** The claim "iss" of tokens in secrets. */
export const LEGACY_ISSUER = "kubernetes/serviceaccount";

/** Labels of token secrets; their values are days in UTC, "2026-01-01". */
export const LAST_USED = "kubernetes.io/legacy-token-last-used";
export const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";

/** The ConfigMap of kube-system that has, under "since", the day from which on uses of such tokens are written down. */
export const TRACKING_CONFIG_MAP = "kube-apiserver-legacy-service-account-token-tracking";

const CLAIM = "kubernetes.io/serviceaccount/";
export const NAMESPACE_CLAIM = `${CLAIM}namespace`;
export const SECRET_CLAIM = `${CLAIM}secret.name`;
export const NAME_CLAIM = `${CLAIM}service-account.name`;
export const UID_CLAIM = `${CLAIM}service-account.uid`;

/** The claims of the token in a secret, in the order of their names. */
export function tokenSecretClaims(account: KubeObject, secret: KubeObject): JsonObject {
  const { name = "", namespace = "", uid = "" } = account.metadata ?? {};
  return {
    iss: LEGACY_ISSUER,
    [NAMESPACE_CLAIM]: namespace,
    [SECRET_CLAIM]: secret.metadata?.name ?? "",
    [NAME_CLAIM]: name,
    [UID_CLAIM]: uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

/** The day in UTC of milliseconds since the Unix epoch: "2026-01-01". */
export const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** The beginning of a day in UTC, in milliseconds since the Unix epoch; undefined for an invalid day. */
export function startOfDay(day: string | undefined): number | undefined {
  if (day === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const start = Date.parse(day);
  // JavaScript reads February 30 as a day of March; Go refuses it.
  return Number.isNaN(start) || dayOf(start) !== day ? undefined : start;
}
