import type { ObjectReference } from "../../api/types/core/v1.js";
import type { FieldsOf } from "../../machinery/meta/received.js";
import { timingSafeEqual } from "node:crypto";
import {
  dayOf,
  INVALID_SINCE,
  LAST_USED,
  LEGACY_ISSUER,
  NAME_CLAIM,
  NAMESPACE_CLAIM,
  SECRET_CLAIM,
  UID_CLAIM,
} from "../../api/service-accounts/token-secrets.js";
import { goQuote } from "../../base/text/go-quote.js";
import { untrustedIssuer } from "../../machinery/crypto/jwt/jws.js";
import { list, object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { ObjectMeta, KubeObject } from "../../machinery/meta/object.js";
import type { TokenIssuer } from "../request/token-issuer.js";
import { InvalidTokenError, type TokenLookup } from "../request/user.js";
import { accountUser, commonAudiences, type FindObject } from "./service-account-token.js";
import { VerifiedTokens } from "./verified-tokens.js";
import type { Transport } from "../../client/transport/transport.js";

/** Writes the day of a token's use ("2026-01-01") to its secret. Does not reject. */
export type MarkUsed = (secret: KubeObject, day: string) => Promise<void>;

export interface SecretTokenConfig {
  readonly find: FindObject;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly markUsed: MarkUsed;
}

const DAY_MS = 86_400_000;

const AUTO_GENERATED =
  "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.";

/** Knows the tokens in secrets of service accounts. They have no end; they go with their secret and their account. */
export function secretTokens(issuer: TokenIssuer, config: SecretTokenConfig): TokenLookup {
  const verified = new VerifiedTokens(config.now);
  const ownKey = [issuer.key];
  return async (token, audiences = issuer.audiences) => {
    if (untrustedIssuer(token) !== LEGACY_ISSUER) return undefined;
    const claims = verified.claimsOf(token, issuer.verificationKeys ?? ownKey, (claimed) => claimed === LEGACY_ISSUER);
    if (claims === undefined) return undefined;
    const stated = list(claims["aud"]).map(text);
    const common = commonAudiences(stated.length === 0 ? issuer.audiences : stated, audiences);
    const named = checkedClaims(claims);
    const { namespace, name, uid } = named;
    if (issuer.looksUpSecrets === false) return { ...accountUser(namespace, name, uid), audiences: common };
    const secret = await checkedSecret(named, token, config.find);
    const account = await checkedAccount(named, config.find);
    const today = dayOf(config.now());
    const { labels } = secret.metadata ?? {};
    // Another server's clock may be ahead of this one's.
    if (![today, dayOf(config.now() + DAY_MS)].includes(labels?.[LAST_USED] ?? ""))
      await config.markUsed(secret, today);
    if ((labels?.[INVALID_SINCE] ?? "") !== "") {
      throw new InvalidTokenError(
        `the token in secret ${namespace}/${named.secret} for service account ${namespace}/${name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`,
      );
    }
    const generated = objects(account["secrets"]).some(({ name }: FieldsOf<ObjectReference>) => name === named.secret);
    return {
      ...accountUser(namespace, name, uid),
      audiences: common,
      ...(generated && { warnings: [AUTO_GENERATED] }),
    };
  };
}

interface NamedByToken {
  readonly namespace: string;
  readonly secret: string;
  readonly name: string;
  readonly uid: string;
}

function checkedClaims(claims: ReadonlyFields): NamedByToken {
  const subject = text(claims["sub"]);
  const named = {
    namespace: text(claims[NAMESPACE_CLAIM]),
    secret: text(claims[SECRET_CLAIM]),
    name: text(claims[NAME_CLAIM]),
    uid: text(claims[UID_CLAIM]),
  };
  const required = {
    sub: subject,
    namespace: named.namespace,
    secretName: named.secret,
    serviceAccountName: named.name,
    serviceAccountUID: named.uid,
  };
  for (const [claim, value] of Object.entries(required)) {
    if (value === "") throw new InvalidTokenError(`${claim} claim is missing`);
  }
  if (subject !== `system:serviceaccount:${named.namespace}:${named.name}`) {
    throw new InvalidTokenError("sub claim is invalid");
  }
  return named;
}

async function checkedSecret(
  { namespace, secret }: NamedByToken,
  token: string,
  find: FindObject,
): Promise<KubeObject> {
  const found = await find("secrets", namespace, secret);
  if (found === undefined || found.metadata?.deletionTimestamp !== undefined) {
    throw new InvalidTokenError("Token has been invalidated");
  }
  const kept = Buffer.from(text(object(found["data"])["token"]), "base64");
  const given = Buffer.from(token);
  if (kept.length !== given.length || !timingSafeEqual(kept, given)) {
    throw new InvalidTokenError("Token does not match server's copy");
  }
  return found;
}

async function checkedAccount({ namespace, name, uid }: NamedByToken, find: FindObject): Promise<KubeObject> {
  const account = await find("serviceaccounts", namespace, name);
  if (account === undefined) throw new InvalidTokenError(`serviceaccounts ${goQuote(name)} not found`);
  const { deletionTimestamp, uid: found = "" } = account.metadata ?? {};
  if (deletionTimestamp !== undefined) {
    throw new InvalidTokenError(`ServiceAccount ${namespace}/${name} has been deleted`);
  }
  if (found !== uid) throw new InvalidTokenError(`ServiceAccount UID (${found}) does not match claim (${uid})`);
  return account;
}

/** Writes the day of a token's last use into its Secret, with a request of the server's own. Errors are reported. */
export async function markUsedToken(
  transport: Transport,
  { metadata }: KubeObject,
  day: string,
  report: (error: unknown) => void,
): Promise<void> {
  const { namespace = "", name = "", uid } = metadata ?? {};
  try {
    const { status, body } = await transport.send({
      method: "PATCH",
      path: `/api/v1/namespaces/${namespace}/secrets/${name}`,
      headers: { "content-type": "application/merge-patch+json", "user-agent": "kube-apiserver" },
      body: Buffer.from(
        JSON.stringify({ metadata: { uid, labels: { [LAST_USED]: day } } satisfies FieldsOf<ObjectMeta> }),
      ),
    });
    for await (const _ of body);
    if (status >= 400) report(new Error(`the secret ${namespace}/${name} was not marked as used: status ${status}`));
  } catch (error) {
    report(error);
  }
}
