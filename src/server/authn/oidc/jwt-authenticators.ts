import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { type AuthenticatedToken, InvalidTokenError, type TokenLookup } from "../../request/user.js";
import { cachedTokens } from "../cached-tokens.js";
import type { CompiledAuthenticator } from "../configuration/validate.js";
import { JwtAuthenticator, type JwtAuthenticatorSurroundings } from "./jwt-authenticator.js";

/** kube-apiserver's times: a token that was verified stays so for ten seconds, one that was not is verified again. */
const CACHE = { success: 10_000, failure: 0 };
/** How long the issuers of a new configuration may take to answer, and how often they are looked at meanwhile. */
const REPLACING_MS = 60_000;
const LOOK_MS = 100;

/** The JWT authenticators of a server, which may be replaced while it runs. */
export class JwtAuthenticators {
  #current: readonly JwtAuthenticator[] = [];
  #find: TokenLookup;
  #closed = false;

  constructor(private readonly surroundings: JwtAuthenticatorSurroundings) {
    this.#find = this.#lookupOf([]);
  }

  readonly lookup: TokenLookup = (token, audiences) => this.#find(token, audiences);

  /** Takes these from now on, whether they answer or not. Resolves when each was asked once, or after `patience` milliseconds. */
  async start(compiled: readonly CompiledAuthenticator[], patience: number): Promise<void> {
    const next = this.#made(compiled);
    this.#swap(next);
    const { timers } = this.surroundings;
    await new Promise<void>((resolve) => {
      const cancel = timers.start(patience, resolve);
      void Promise.all(next.map((one) => one.start())).then(() => {
        cancel();
        resolve();
      });
    });
  }

  /**
   * Takes these once all of them answer. Rejects, and keeps those of before, where one does not in a minute, and where {@link close}
   * comes first.
   */
  async replace(compiled: readonly CompiledAuthenticator[]): Promise<void> {
    const next = this.#made(compiled);
    await Promise.all(next.map((one) => one.start()));
    for (let left = REPLACING_MS; next.some(({ fault }) => fault !== undefined); left -= LOOK_MS) {
      const faults = next.flatMap(({ fault }) => fault ?? []);
      if (left <= 0 || this.#closed) {
        for (const one of next) one.close();
        throw new Error(aggregateText(faults));
      }
      await new Promise<void>((resolve) => this.surroundings.timers.start(LOOK_MS, resolve));
    }
    this.#swap(next);
  }

  close(): void {
    this.#closed = true;
    for (const one of this.#current) one.close();
  }

  #made(compiled: readonly CompiledAuthenticator[]): readonly JwtAuthenticator[] {
    return compiled.map((authenticator) => new JwtAuthenticator(authenticator, this.surroundings));
  }

  #swap(next: readonly JwtAuthenticator[]): void {
    for (const one of this.#current) one.close();
    this.#current = next;
    this.#find = this.#lookupOf(next);
  }

  #lookupOf(authenticators: readonly JwtAuthenticator[]): TokenLookup {
    const first = async (token: string): Promise<AuthenticatedToken | undefined> => {
      const reasons: string[] = [];
      for (const authenticator of authenticators) {
        try {
          const user = await authenticator.lookup(token);
          if (user !== undefined) return user;
        } catch (error) {
          if (!(error instanceof InvalidTokenError)) throw error;
          reasons.push(error.message);
        }
      }
      if (reasons.length > 0) throw new InvalidTokenError(reasons.join(", "));
      return undefined;
    };
    return cachedTokens(first, CACHE, () => this.surroundings.clock.now());
  }
}
