import { goQuote } from "../../base/text/go-quote.js";
import { list, number, object, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type AuthenticatedToken, InvalidTokenError, type TokenLookup, type User } from "../request/user.js";
import { isIssuedBy, type TokenIssuer } from "../request/token-issuer.js";
import { VerifiedTokens } from "./verified-tokens.js";

/** Finds an object of the core group by resource ("pods"), namespace and name; undefined when it does not exist. */
export type FindObject = (resource: string, namespace: string, name: string) => Promise<KubeObject | undefined>;

/** Clocks may differ by as much. */
const LEEWAY_MS = 60_000;
const PREFIX = "authentication.kubernetes.io/";

/**
 * Authenticates tokens that `issuer` signed for existing service accounts. A signature is verified once and remembered for a
 * while; whether the account, and the object that the token is bound to, still exist is checked each time. `now` is milliseconds
 * since the epoch.
 */
export function serviceAccountTokens(issuer: TokenIssuer, find: FindObject, now: () => number): TokenLookup {
  const verified = new VerifiedTokens(now);
  const ownKey = [issuer.key];
  const isOurs = (claimed: unknown): boolean => isIssuedBy(issuer, claimed);
  return async (token, audiences = issuer.audiences) => {
    const claims = verified.claimsOf(token, issuer.verificationKeys ?? ownKey, isOurs);
    if (claims === undefined) return undefined;
    const common = commonAudiences(list(claims["aud"]).map(text), audiences);
    checkTimes(claims, now());
    return { ...(await userOf(claims, find, now())), ...staleness(claims, now()), audiences: common };
  };
}

/** A token that was made to live for a year, because its client may be old, and that has outlived its hour. */
function staleness(claims: ReadonlyFields, now: number): Pick<AuthenticatedToken, "annotations"> {
  const warnAfter = number(object(claims["kubernetes.io"])["warnafter"]);
  const late = Math.floor(now / 1000) - warnAfter;
  if (warnAfter === 0 || late <= 0) return {};
  const note = `subject: ${text(claims["sub"])}, seconds after warning threshold: ${late}`;
  return { annotations: { "authentication.k8s.io/stale-token": note } };
}

/** The requested audiences that a token is valid for. Throws when there are none. */
export function commonAudiences(meant: readonly string[], asked: readonly string[]): readonly string[] {
  const common = asked.filter((one) => meant.includes(one));
  if (common.length > 0) return common;
  const [theirs, ours] = [meant, asked].map((some) => `[${some.map(goQuote).join(" ")}]`);
  throw new InvalidTokenError(`token audiences ${theirs} is invalid for the target audiences ${ours}`);
}

function checkTimes(claims: ReadonlyFields, now: number): void {
  if (now - LEEWAY_MS > number(claims["exp"]) * 1000) throw new InvalidTokenError("service account token has expired");
  if (now + LEEWAY_MS < number(claims["nbf"]) * 1000) {
    throw new InvalidTokenError("service account token is not valid yet");
  }
  if (now + LEEWAY_MS < number(claims["iat"]) * 1000) {
    throw new InvalidTokenError("service account token is issued in the future");
  }
}

async function userOf(
  claims: ReadonlyFields,
  find: FindObject,
  now: number,
): Promise<Omit<AuthenticatedToken, "audiences">> {
  const own = object(claims["kubernetes.io"]);
  const namespace = text(own["namespace"]);
  const { name, uid } = referenceOf(own["serviceaccount"]);
  const account = await find("serviceaccounts", namespace, name);
  if (account === undefined) throw new InvalidTokenError(`serviceaccounts ${goQuote(name)} not found`);
  if (isDeleted(account, now)) {
    throw new InvalidTokenError(`service account ${namespace}/${name} has been deleted`);
  }
  if (account.metadata?.uid !== uid) {
    const found = account.metadata?.uid ?? "";
    throw new InvalidTokenError(`service account UID (${found}) does not match claim (${uid})`);
  }
  await checkBound(find, own, namespace, now);
  const [pod, node] = [referenceOf(own["pod"]), referenceOf(own["node"])];
  const extra = {
    "credential-id": text(claims["jti"]) === "" ? "" : `JTI=${text(claims["jti"])}`,
    "node-name": node.name,
    "node-uid": node.uid,
    "pod-name": pod.name,
    "pod-uid": pod.uid,
  };
  return {
    ...accountUser(namespace, name, uid),
    extra: Object.fromEntries(
      Object.entries(extra)
        .filter(([, value]) => value !== "")
        .map(([key, value]) => [PREFIX + key, [value]]),
    ),
  };
}

/** The user that a service account is. */
export const accountUser = (namespace: string, name: string, uid: string): User => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  uid,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
});

const BOUND = [
  ["secret", "secrets"],
  ["pod", "pods"],
] as const;

/** A token goes with what it was bound to; a node only when the token is bound to it alone. */
async function checkBound(find: FindObject, own: ReadonlyFields, namespace: string, now: number): Promise<void> {
  for (const [field, resource] of BOUND) {
    if (own[field] !== undefined)
      await checkReference(await find(resource, namespace, referenceOf(own[field]).name), own, field, now);
  }
  if (own["node"] === undefined || own["pod"] !== undefined) return;
  await checkReference(await find("nodes", "", referenceOf(own["node"]).name), own, "node", now);
}

async function checkReference(
  found: KubeObject | undefined,
  own: ReadonlyFields,
  field: "secret" | "pod" | "node",
  now: number,
): Promise<void> {
  const { uid } = referenceOf(own[field]);
  if (found === undefined || isDeleted(found, now)) {
    throw new InvalidTokenError("service account token has been invalidated");
  }
  if (found.metadata?.uid === uid) return;
  const what = field === "secret" ? "secret" : field;
  const claim = field === "secret" ? "service account secret ref claim" : `service account ${field} ref claim`;
  throw new InvalidTokenError(`${what} UID (${found.metadata?.uid}) does not match ${claim} (${uid})`);
}

const isDeleted = ({ metadata }: KubeObject, now: number): boolean =>
  metadata?.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) < now - LEEWAY_MS;

const referenceOf = (claim: unknown) => ({ name: text(object(claim)["name"]), uid: text(object(claim)["uid"]) });
