import { own } from "../../../base/collections/own.js";
import { STATUS_CODES } from "node:http";
import { errorMessage } from "../../../base/text/error-message.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { Lru } from "../../../base/collections/lru.js";
import { untrustedIssuer } from "../../../machinery/crypto/jwt/jws.js";
import { isFields, text } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import { getDocument, type IssuerSurroundings } from "./get-document.js";
import { IssuerKeys } from "./issuer-keys.js";
import { type IdTokenTerms, verifyIdToken } from "./verify-id-token.js";

/** Issuers of claims that a token sends the server to. */
const MOST_ISSUERS = 16;

/** Gets a claim that a token leaves to another endpoint (OpenID Connect Core 1.0, section 5.6.2), as groups too long for a token are. */
export class DistributedClaims {
  readonly #issuers = new Lru<string, IssuerKeys>(MOST_ISSUERS);

  constructor(
    private readonly claim: string,
    private readonly surroundings: IssuerSurroundings,
  ) {}

  /**
   * The claims, with the one that is elsewhere. `terms` are those of the token, but for the issuer. Rejects in kube-apiserver's words
   * where the claim cannot be had.
   */
  async expand(claims: JsonObject, terms: IdTokenTerms): Promise<JsonObject> {
    const { claim } = this;
    const names = claims["_claim_names"];
    if (Object.hasOwn(claims, claim) || names === undefined) return claims;
    if (!isFields(names)) throw new Error("oidc: error parsing distributed claim names: not an object");
    const sources = claims["_claim_sources"];
    if (sources === undefined) throw new Error("oidc: no claim sources");
    if (!isFields(sources)) throw new Error("oidc: could not parse claim sources: not an object");
    if (!Object.hasOwn(names, claim)) return claims;
    const name = text(own(names, claim));
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    if (!isFields(source)) {
      throw new Error(`id token _claim_names contained a source ${name} missing in _claims_sources`);
    }
    const endpoint = text(source["endpoint"]);
    if (endpoint === "") return claims;
    return { ...claims, [claim]: await this.#resolve(endpoint, text(source["access_token"]), terms) };
  }

  async #resolve(endpoint: string, accessToken: string, terms: IdTokenTerms) {
    const token = await this.#get(endpoint, accessToken).catch((error: unknown) => {
      throw new Error(`while getting distributed claim ${goQuote(this.claim)}: ${errorMessage(error)}`);
    });
    const issuer = untrustedIssuer(token);
    const keys = await this.#keysOf(issuer);
    const claims = await verifyIdToken(token, keys, { ...terms, issuer }).catch((error: unknown) => {
      throw new Error(`verify distributed claim token: ${errorMessage(error)}`);
    });
    const value = own(claims, this.claim);
    if (value !== undefined) return value;
    const place = goQuote(endpoint);
    throw new Error(`jwt returned by distributed claim endpoint ${place} did not contain claim: ${this.claim}`);
  }

  async #get(endpoint: string, accessToken: string): Promise<string> {
    if (!/^https:\/\//i.test(endpoint)) throw new Error("an endpoint of claims must be an https URL");
    const headers = accessToken === "" ? {} : { authorization: `Bearer ${accessToken}` };
    const { status, text: body } = await getDocument(endpoint, this.surroundings, headers);
    if (status >= 200 && status <= 226) return body.trim();
    throw new Error(`error while getting distributed claim JWT: ${status} ${STATUS_CODES[status] ?? ""}`);
  }

  async #keysOf(issuer: string): Promise<IssuerKeys> {
    const known = this.#issuers.get(issuer);
    if (known !== undefined) return known;
    const keys = new IssuerKeys({ url: issuer }, this.surroundings);
    await keys.discover().catch(() => {
      throw new Error(
        `verifying untrusted issuer ${issuer} failed: verifier not initialized for issuer: ${goQuote(issuer)}`,
      );
    });
    this.#issuers.set(issuer, keys);
    return keys;
  }
}
