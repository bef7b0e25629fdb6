import { goQuote } from "../../../base/text/go-quote.js";
import type { Random } from "../../../base/numbers/random.js";
import { uuid } from "../../../base/numbers/uuid.js";
import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { badRequest, conflict, invalid, isNotFound, notFound } from "../../../machinery/errors/status-error.js";
import { signToken } from "../../../machinery/crypto/jwt/jws.js";
import {
  absent,
  type Draft,
  type DraftObject,
  list,
  number,
  object,
  type OrAbsent,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type {
  BoundObjectReference,
  TokenRequest,
  TokenRequestSpec,
  TokenRequestStatus,
} from "../../../api/types/authentication/v1.js";
import type { Pod } from "../../../api/types/core/v1.js";
import { formatGroupVersion, parseGroupVersion } from "../../../machinery/meta/gvk.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { decodeBody } from "../../endpoints/negotiation/decode-body.js";
import { readObjectBody } from "../../endpoints/negotiation/request-body.js";
import { negotiatePlain } from "../../endpoints/negotiation/response-format.js";
import { writeOptions } from "../../endpoints/options/write-options.js";
import type { ServedResource } from "../../endpoints/served-resource.js";
import { Admitter } from "../../endpoints/verbs/admitter.js";
import { respondValue } from "../../endpoints/verbs/answer.js";
import { scopeOf } from "../../endpoints/verbs/scope.js";
import { clearSystemMetadata, matchNamespace, timestamp } from "../../registry/metadata.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { TokenIssuer } from "../../request/token-issuer.js";

const TOKEN_REQUEST = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 2 ** 32;
const DEFAULT_SECONDS = 3600;
/** What a pod's own token asks for; such a token may be used for a year, so that old clients notice only a warning. */
const WARN_ONLY_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * 3600;
/** The audit annotation that names a new token. */
const ISSUED_CREDENTIAL = "authentication.kubernetes.io/issued-credential-id";

export interface TokenRequestConfig {
  readonly issuer: TokenIssuer;
  readonly random: Random;
  /** A resource of core/v1. */
  readonly resource: (name: "pods" | "nodes" | "secrets") => ServedResource | undefined;
}

const NO_TOKEN: TokenRequestStatus = { token: "", expirationTimestamp: null };

/** POST /serviceaccounts/NAME/token: a signed token of that service account. */
export async function handleTokenRequest(
  request: ApiRequest,
  accounts: ServedResource,
  config: TokenRequestConfig,
): Promise<void> {
  const options = writeOptions(request.exchange.query, "CreateOptions");
  const body = await readObjectBody(request);
  const decoded = await decodeBody(body, {
    expected: TOKEN_REQUEST,
    mode: options.fieldValidation,
    schemaOf: accounts.codec.schemaOf,
  });
  for (const warning of decoded.warnings) request.warnings.add(warning);
  request.audit?.decoded(decoded.object, accounts.codec.schemaOf(decoded.kind));
  const asked = decoded.object;
  clearSystemMetadata(asked);
  matchNamespace(asked, request.info.namespace);
  const { name, namespace } = request.info;
  const schema = accounts.codec.schemaOf(TOKEN_REQUEST);
  if (schema === undefined) throw new Error("no schema for TokenRequest");
  const admit = new Admitter(request, accounts, options.dryRun, { kind: TOKEN_REQUEST, schema }).create;
  await admit.mutate?.(asked);
  checkPlace(asked, name, namespace);
  const account = await accounts.storage.get?.(scopeOf(request), name, {});
  if (account === undefined) throw notFound({ group: "", resource: "serviceaccounts" }, name);
  const now = accounts.now();
  const { spec: askedSpec }: DraftObject<TokenRequest> = asked;
  const spec: Draft<TokenRequestSpec> = { ...object(askedSpec) };
  if (!accounts.gates.enabled("APIServerWebhookAuthenticationToken")) delete spec.attestations;
  if (list(spec.audiences).length === 0) spec.audiences = [...config.issuer.audiences];
  if (absent(spec.expirationSeconds)) spec.expirationSeconds = DEFAULT_SECONDS;
  const metadata = { ...asked.metadata, name, namespace, creationTimestamp: timestamp(now) };
  delete metadata.managedFields;
  const draft: KubeObject = { ...asked, metadata, spec, status: NO_TOKEN };
  const errors = problems(spec);
  if (errors.length > 0) throw invalid(TOKEN_REQUEST, "", errors);
  await admit.validate?.(draft);
  const bound = await boundObject(request, spec.boundObjectRef, name, config);
  const seconds = shortened(number(spec.expirationSeconds), config.issuer.longestSeconds, request);
  spec.expirationSeconds = seconds;
  const id = uuid(config.random);
  const claims = claimsOf(account.object(), bound, { id, spec, seconds, now, config });
  request.annotations.add(ISSUED_CREDENTIAL, `JTI=${id}`);
  const status: TokenRequestStatus = {
    token: signToken(claims, config.issuer.key),
    expirationTimestamp: timestamp(now + seconds * 1000),
  };
  draft["status"] = status;
  draft.kind = TOKEN_REQUEST.kind;
  draft.apiVersion = formatGroupVersion(TOKEN_REQUEST);
  await respondValue(request, negotiatePlain(request.exchange), 201, draft, schema);
}

/** A validity that is longer than the server gives is as long as it gives. */
function shortened(seconds: number, longest: number | undefined, { warnings }: ApiRequest): number {
  if (longest === undefined || seconds <= longest) return seconds;
  warnings.add(`requested expiration of ${seconds} seconds shortened to ${longest} seconds`);
  return longest;
}

function checkPlace({ metadata = {} }: KubeObject, name: string, namespace: string): void {
  const wrong = (field: "name" | "namespace") =>
    invalidValue(`metadata.${field}`, metadata[field], `must match the service account ${field} if specified`);
  if ((metadata.name ?? "") !== "" && metadata.name !== name) throw invalid(TOKEN_REQUEST, name, [wrong("name")]);
  if ((metadata.namespace ?? "") !== "" && metadata.namespace !== namespace) {
    throw invalid(TOKEN_REQUEST, name, [wrong("namespace")]);
  }
}

function problems({ expirationSeconds }: Received<TokenRequestSpec>): FieldError[] {
  const field = "spec.expirationSeconds";
  const seconds = number(expirationSeconds);
  if (seconds < SHORTEST_SECONDS) {
    return [invalidValue(field, expirationSeconds, "may not specify a duration less than 10 minutes")];
  }
  if (seconds > LONGEST_SECONDS) {
    return [invalidValue(field, expirationSeconds, "may not specify a duration larger than 2^32 seconds")];
  }
  return [];
}

/** What a token is bound to: it is worth nothing any more when that is gone. */
interface Bound {
  readonly pod?: KubeObject;
  readonly secret?: KubeObject;
  /** May have nothing but its name: one that a pod names and that is not there. */
  readonly node?: KubeObject | undefined;
}

async function boundObject(
  request: ApiRequest,
  reference: OrAbsent<Received<BoundObjectReference>>,
  account: string,
  config: TokenRequestConfig,
): Promise<Bound> {
  if (absent(reference)) return {};
  const { kind, name, uid, apiVersion } = object(reference);
  // As schema.FromAPIVersionAndKind: a version that cannot be read is none.
  const readable = (apiVersion ?? "").split("/").length <= 2;
  const { group, version } = parseGroupVersion(readable ? (apiVersion ?? "") : "");
  const find = async (resource: "pods" | "nodes" | "secrets", wanted = name ?? "") => {
    const found = await config.resource(resource)?.storage.get?.(scopeOf(request), wanted, {});
    if (found === undefined) throw notFound({ group: "", resource }, wanted);
    return found.object();
  };
  const check = (found: KubeObject) => {
    if ((uid ?? "") === "" || uid === found.metadata?.uid) return;
    const text_ = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group, resource: kind ?? "" }, name ?? "", text_);
  };
  if (group === "" && kind === "Pod") {
    const pod = await find("pods");
    const { spec: given }: ReceivedObject<Pod> = pod;
    const spec = object(given);
    if (spec.serviceAccountName !== account) {
      const message = `cannot bind token for serviceaccount ${goQuote(account)} to pod running with different serviceaccount name.`;
      throw badRequest(message);
    }
    check(pod);
    const nodeName = text(spec.nodeName);
    const node =
      nodeName === ""
        ? undefined
        : await find("nodes", nodeName).catch((error: unknown) => {
            if (!isNotFound(error)) throw error;
            return { metadata: { name: nodeName } };
          });
    return { pod, node };
  }
  if (group === "" && kind === "Node") {
    const node = await find("nodes");
    check(node);
    return { node };
  }
  if (group === "" && kind === "Secret") {
    const secret = await find("secrets");
    check(secret);
    return { secret };
  }
  throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
}

/** In the order of their names, nested ones too. */
function claimsOf(
  account: KubeObject,
  bound: Bound,
  how: {
    readonly id: string;
    readonly spec: Received<TokenRequestSpec>;
    readonly seconds: number;
    readonly now: number;
    readonly config: TokenRequestConfig;
  },
): JsonObject {
  const { spec, seconds, config } = how;
  const { name = "", namespace = "" } = account.metadata ?? {};
  const issued = Math.floor(how.now / 1000);
  const audiences = list(spec.audiences).map(text);
  const own = audiences.every((one) => config.issuer.audiences.includes(one));
  const mayExtend = config.issuer.extendsExpiration ?? true;
  const extended = mayExtend && bound.pod !== undefined && seconds === WARN_ONLY_SECONDS && own;
  return {
    aud: audiences,
    exp: issued + (extended ? EXTENDED_SECONDS : seconds),
    iat: issued,
    iss: config.issuer.url,
    jti: how.id,
    "kubernetes.io": {
      namespace,
      ...(bound.node && { node: referenceTo(bound.node) }),
      ...(bound.pod && { pod: referenceTo(bound.pod) }),
      ...(bound.secret && { secret: referenceTo(bound.secret) }),
      serviceaccount: referenceTo(account),
      ...(extended && { warnafter: issued + seconds }),
    },
    nbf: issued,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

const referenceTo = ({ metadata }: KubeObject): JsonObject => ({
  name: metadata?.name ?? "",
  ...(metadata?.uid !== undefined && { uid: metadata.uid }),
});
