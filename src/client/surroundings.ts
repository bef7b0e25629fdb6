import { type Clock, systemClock } from "../base/clock.js";
import { type Random, systemRandom } from "../base/random.js";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a client takes of the process it runs in. */
export interface Surroundings {
  /** Proxy variables, SSL_CERT_FILE and SSL_CERT_DIR, the environment of credential plugins. */
  readonly env: Environment;
  /** Certificates, tokens and caches expire by it. */
  readonly clock: Clock;
  /** Spreads the ends of watches; names temporary files. */
  readonly random: Random;
}

/** The surroundings given to a public function; what is left out is this process's own. */
export function surroundingsOf({ env, clock, random }: Partial<Surroundings>): Surroundings {
  return { env: env ?? process.env, clock: clock ?? systemClock, random: random ?? systemRandom };
}
