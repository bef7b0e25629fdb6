import { errorMessage } from "../../../base/text/error-message.js";
import { goQuote } from "../../../base/text/go-quote.js";
import type { Timers } from "../../../base/time/timers.js";
import { type SignatureAlgorithm, untrustedIssuer } from "../../../machinery/crypto/jwt/jws.js";
import { type AuthenticatedToken, InvalidTokenError } from "../../request/user.js";
import type { CompiledAuthenticator } from "../configuration/validate.js";
import { userOfClaims } from "./claims-user.js";
import { DistributedClaims } from "./distributed-claims.js";
import type { EgressDialers } from "../../../client/transport/dial.js";
import { isEgressType } from "../configuration/authentication-configuration.js";
import type { IssuerSurroundings } from "./get-document.js";
import { IssuerKeys } from "./issuer-keys.js";
import { verifyIdToken } from "./verify-id-token.js";

export interface JwtAuthenticatorSurroundings extends Omit<IssuerSurroundings, "certificateAuthority" | "dialer"> {
  /** Connects to the issuers that name one of its kinds. */
  readonly egress?: EgressDialers | undefined;
  readonly timers: Timers;
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly report: (error: unknown) => void;
}

/** How long the server waits before it asks an issuer again that did not answer. */
const RETRY_MS = 10_000;

/** Verifies the tokens of one issuer, as soon as it has read the issuer's discovery document: an issuer may start later than the server. */
export class JwtAuthenticator {
  readonly #url: string;
  readonly #keys: IssuerKeys;
  readonly #distributed: DistributedClaims | undefined;
  #fault: string;
  #cancelRetry: (() => void) | undefined;
  #closed = false;

  constructor(
    private readonly authenticator: CompiledAuthenticator,
    private readonly surroundings: JwtAuthenticatorSurroundings,
  ) {
    const { issuer = {}, claimMappings = {} } = authenticator.config;
    const { url = "", discoveryURL = "", certificateAuthority = "", egressSelectorType = "" } = issuer;
    const dialer = isEgressType(egressSelectorType) ? surroundings.egress?.[egressSelectorType] : undefined;
    const reached = { ...surroundings, certificateAuthority, dialer };
    const discoveryUrl = discoveryURL === "" ? undefined : discoveryURL;
    this.#url = url;
    this.#keys = new IssuerKeys({ url, discoveryUrl }, reached);
    const groups = claimMappings.groups?.claim ?? "";
    this.#distributed = groups === "" ? undefined : new DistributedClaims(groups, reached);
    this.#fault = `oidc: authenticator for issuer ${goQuote(url)} is not initialized`;
  }

  /** Tries to reach the issuer until it answers, or until {@link close}. Resolves after the first try. */
  async start(): Promise<void> {
    try {
      await this.#keys.discover();
    } catch (error) {
      this.#fault = errorMessage(error);
      if (this.#closed) return;
      this.surroundings.report(new Error(`oidc authenticator: initializing plugin: ${this.#fault}`));
      this.#cancelRetry = this.surroundings.timers.start(RETRY_MS, () => void this.start());
    }
  }

  /** Why it knows no token yet; undefined when it does. */
  get fault(): string | undefined {
    if (this.#keys.isReady) return undefined;
    return `oidc: authenticator for issuer ${goQuote(this.#url)} is not healthy: ${this.#fault}`;
  }

  /** The user of a token of this issuer; undefined for every other token. Rejects with an InvalidTokenError, as a TokenLookup. */
  async lookup(token: string): Promise<AuthenticatedToken | undefined> {
    const issuer = untrustedIssuer(token);
    if (issuer !== this.#url && !(issuer === GOOGLE && this.#url === `https://${GOOGLE}`)) return undefined;
    if (!this.#keys.isReady) throw new InvalidTokenError("oidc: authenticator not initialized");
    try {
      return await this.#userOf(token);
    } catch (error) {
      throw new InvalidTokenError(errorMessage(error));
    }
  }

  close(): void {
    this.#closed = true;
    this.#cancelRetry?.();
  }

  async #userOf(token: string): Promise<AuthenticatedToken> {
    const { clock, algorithms } = this.surroundings;
    const audiences = this.authenticator.config.issuer?.audiences ?? [];
    const terms = { issuer: this.#url, audiences, algorithms, now: clock.now() };
    const claims = await verifyIdToken(token, this.#keys, terms).catch((error: unknown) => {
      throw new Error(`oidc: verify token: ${errorMessage(error)}`);
    });
    const whole = await this.#distributed?.expand(claims, terms).catch((error: unknown) => {
      const reason = errorMessage(error);
      throw new Error(`oidc: could not expand distributed claims: ${reason}`);
    });
    return userOfClaims(this.authenticator, whole ?? claims);
  }
}

const GOOGLE = "accounts.google.com";
