import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import { issueCertificate, issuerOf, type KeyPair } from "../../machinery/crypto/issue-certificate.js";
import { CA_NAME } from "../pki/cluster-pki.js";

const DAY = 86_400_000;
const LIFETIME = 365 * DAY;

export interface MadeCertificateParts {
  /** The authority of the server. */
  readonly ca: KeyPair;
  /** The certificate is made anew by the first clock's time, and is valid by each clock. */
  readonly clocks: readonly [Clock, ...Clock[]];
  readonly timers: Timers;
  readonly random: Random;
}

/** A serving certificate that a server signs with its own authority, and renews before it expires. */
export class MadeCertificate {
  #pair: KeyPair;
  #renewAt = 0;
  #cancel = (): void => {};

  constructor(
    private readonly names: readonly string[],
    private readonly parts: MadeCertificateParts,
  ) {
    this.#pair = this.#make();
  }

  get pair(): KeyPair {
    return this.#pair;
  }

  /** Calls `renewed` each time after a new certificate was made, until {@link close}. */
  follow(renewed: () => void): void {
    const { clocks, timers } = this.parts;
    const [clock] = clocks;
    // A machine that sleeps wakes up with its timers late, so that the clock is read each day.
    const wait = Math.min(DAY, Math.max(0, this.#renewAt - clock.now()));
    this.#cancel = timers.start(wait, () => {
      if (clock.now() >= this.#renewAt) {
        this.#pair = this.#make();
        renewed();
      }
      this.follow(renewed);
    });
  }

  close(): void {
    this.#cancel();
  }

  #make(): KeyPair {
    const { ca, clocks, random } = this.parts;
    const times = clocks.map((clock) => clock.now());
    this.#renewAt = clocks[0].now() + 0.8 * LIFETIME;
    return issueCertificate(
      {
        commonName: this.names[0] ?? "",
        notBefore: Math.min(...times) - DAY,
        notAfter: Math.max(...times) + LIFETIME,
        serial: random.bytes(16),
        usage: "server",
        names: this.names,
      },
      issuerOf(ca, CA_NAME),
    );
  }
}
