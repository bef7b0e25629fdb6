import type { ServerTraits } from "../../api/gates/feature-gates.js";
import { type Clock, systemClock } from "../../base/time/clock.js";
import { ManualClock } from "../../base/time/manual-clock.js";
import { type Random, systemRandom } from "../../base/numbers/random.js";
import { systemTimers, type Timers } from "../../base/time/timers.js";
import type { ResourceDefinition } from "../../server/api-registry/resource-definition.js";
import type { HealthCheck } from "../../server/endpoints/non-resource/health.js";
import type { OwnFilter } from "../../server/filters/own-filter.js";
import type { Composition } from "../composition.js";
import type { ServerOptions } from "../options/server-options.js";
import { type GenericServer, openServer } from "./generic-server.js";

/** The second stage of a server: its user's options with what its program adds. The configuration files are read. */
export class Config {
  /** What the user chose. */
  readonly options: ServerOptions;
  /** Resources beside those of the options. */
  readonly resources: ResourceDefinition[] = [];
  /** Filters beside those of the options. */
  readonly filters: OwnFilter[] = [];
  /** Checks beside those of the options. */
  readonly healthChecks: HealthCheck[] = [];
  readonly #composition: Composition;
  readonly #traits: ServerTraits;

  constructor(options: ServerOptions, composition: Composition, traits: ServerTraits) {
    this.options = options;
    this.#composition = composition;
    this.#traits = traits;
  }

  /** Fills in what was left open. Changes of this configuration have no effect from now on. */
  complete(): CompletedConfig {
    const { options } = this;
    const whole: ServerOptions = {
      ...options,
      resources: [...(options.resources ?? []), ...this.resources],
      filters: [...(options.filters ?? []), ...this.filters],
      healthChecks: [...(options.healthChecks ?? []), ...this.healthChecks],
    };
    return new CompletedConfig(whole, this.#composition, this.#traits);
  }
}

/** The sources of time and randomness of a server. */
export interface TimeAndChance {
  readonly clock: Clock;
  /** The clock, where it can be driven. */
  readonly manual: ManualClock | undefined;
  readonly timers: Timers;
  readonly random: Random;
}

/** The third stage of a server, which creates the server. */
export class CompletedConfig {
  readonly #options: ServerOptions;
  readonly #composition: Composition;
  readonly #traits: ServerTraits;

  constructor(options: ServerOptions, composition: Composition, traits: ServerTraits) {
    this.#options = options;
    this.#composition = composition;
    this.#traits = traits;
  }

  /**
   * Opens storage and certificates, and makes the server; it listens nowhere yet. What it does not serve itself, `delegate` answers. Rejects with
   * nothing left open.
   */
  newServer(name: string, delegate?: GenericServer): Promise<GenericServer> {
    const { clock = systemClock, random = systemRandom } = this.#options;
    const manual = clock instanceof ManualClock ? clock : undefined;
    const timeAndChance: TimeAndChance = { clock, manual, timers: manual ?? systemTimers, random };
    const made = { options: this.#options, composition: this.#composition };
    const opening = { name, delegate, ...made, ...this.#traits, ...timeAndChance };
    return openServer(opening, delegate);
  }
}
