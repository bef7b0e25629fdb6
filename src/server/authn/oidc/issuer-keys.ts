import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { errorMessage } from "../../../base/text/error-message.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { decodeJson } from "../../../machinery/wire/json/json-decoder.js";
import { type CompactToken, verifies } from "../../../machinery/crypto/jwt/jws.js";
import { list, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { getDocument, type IssuerDocument, type IssuerSurroundings } from "./get-document.js";

/** An issuer, and the URL of its discovery document. */
export interface Issuer {
  readonly url: string;
  /** Left out: the well-known place below {@link url}. */
  readonly discoveryUrl?: string | undefined;
}

interface IssuerKey {
  /** "" for a key without one. */
  readonly id: string;
  readonly key: KeyObject;
}

/** Keys are asked for again so long before the issuer says that they may change. */
const EARLY_MS = 30_000;
/** A key id that is unknown while the keys are fresh makes the server ask again, but not more often. */
const UNKNOWN_KEY_PAUSE_MS = 10_000;

/** The keys of an issuer, which its discovery document locates. They are fetched again when a token's key is not among them. */
export class IssuerKeys {
  #keysUrl: string | undefined;
  #keys: readonly IssuerKey[] = [];
  #freshUntil = 0;
  #asked = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  constructor(
    private readonly issuer: Issuer,
    private readonly surroundings: IssuerSurroundings,
  ) {}

  get isReady(): boolean {
    return this.#keysUrl !== undefined;
  }

  /** Reads the discovery document. Rejects in go-oidc's words where there is none, or one of another issuer. */
  async discover(): Promise<void> {
    const { url, discoveryUrl = `${url.replace(/\/$/, "")}/.well-known/openid-configuration` } = this.issuer;
    const answer = await getDocument(discoveryUrl, this.surroundings);
    if (answer.status !== 200) throw new Error(`${statusOf(answer)}: ${answer.text}`);
    const provider = jsonOf(answer, "oidc: failed to decode provider discovery object");
    const stated = text(provider["issuer"]);
    if (stated !== url) {
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${goQuote(url)} got ${goQuote(stated)}`,
      );
    }
    const keysUrl = text(provider["jwks_uri"]);
    if (keysUrl === "") throw new Error("provider did not return JWKS URL");
    this.#keysUrl = keysUrl;
  }

  /** Rejects, in go-oidc's words, for a token that none of the issuer's keys signed. */
  async verify(token: CompactToken): Promise<void> {
    if (this.#isSigned(token)) return;
    if (!this.#mayAsk(token)) throw new Error("failed to verify id token signature");
    try {
      this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
      await this.#refreshing;
    } catch (error) {
      throw new Error(`fetching keys ${errorMessage(error)}`, { cause: error });
    }
    if (!this.#isSigned(token)) throw new Error("failed to verify id token signature");
  }

  #mayAsk({ header }: CompactToken): boolean {
    const now = this.surroundings.clock.now();
    if (now + EARLY_MS > this.#freshUntil) return true;
    const isKnown = this.#keys.some(({ id }) => id === header["kid"]);
    return !isKnown && now - this.#asked > UNKNOWN_KEY_PAUSE_MS;
  }

  #isSigned(token: CompactToken): boolean {
    const kid = text(token.header["kid"]);
    return this.#keys.some(({ id, key }) => (kid === "" || id === kid) && verifies(key, token));
  }

  async #refresh(): Promise<void> {
    const url = this.#keysUrl;
    if (url === undefined) throw new Error("oidc: authenticator not initialized");
    this.#asked = this.surroundings.clock.now();
    const answer = await getDocument(url, this.surroundings).catch((error: unknown) => {
      throw new Error(`oidc: get keys failed ${errorMessage(error)}`, { cause: error });
    });
    if (answer.status !== 200) throw new Error(`oidc: get keys failed: ${statusOf(answer)} ${answer.text}`);
    this.#keys = keysIn(jsonOf(answer, "oidc: failed to decode keys"));
    this.#freshUntil = this.#asked + lifetimeOf(answer);
  }
}

const statusOf = ({ status }: IssuerDocument): string => `${status} ${STATUS_CODES[status] ?? ""}`.trimEnd();

function jsonOf({ text: body }: IssuerDocument, failure: string): ReadonlyFields {
  try {
    return object(decodeJson(body, { maxDepth: 100 }).value);
  } catch (error) {
    throw new Error(`${failure}: ${errorMessage(error)}`, { cause: error });
  }
}

/** Symmetric keys, private ones and those that cannot be read are left out: they verify nothing. */
function keysIn(set: ReadonlyFields): readonly IssuerKey[] {
  return objects(set["keys"]).flatMap((jwk) => {
    if (jwk["kty"] !== "RSA" && jwk["kty"] !== "EC") return [];
    const { kty, n, e, crv, x, y } = jwk as JsonWebKey;
    try {
      const parts = Object.entries({ kty, n, e, crv, x, y }).filter(([, value]) => value !== undefined);
      return [{ id: text(jwk["kid"]), key: createPublicKey({ key: Object.fromEntries(parts), format: "jwk" }) }];
    } catch {
      return [];
    }
  });
}

/** How long an answer may be kept, in milliseconds. */
function lifetimeOf({ headers }: IssuerDocument): number {
  const control = list([headers["cache-control"]]).map(text).join(",").toLowerCase();
  if (/\bno-(?:store|cache)\b/.test(control)) return 0;
  return Number(/\bmax-age=(\d+)/.exec(control)?.[1] ?? 0) * 1000;
}
