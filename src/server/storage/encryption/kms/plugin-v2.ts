import type { Timers } from "../../../../base/time/timers.js";
import { goQuote } from "../../../../base/text/go-quote.js";
import { aggregateText } from "../../../../machinery/errors/aggregate-text.js";
import { errorMessage } from "../../../../base/text/error-message.js";
import { type Transformer, TransformError } from "../transformer.js";
import { EnvelopeV2, type EnvelopeParts, hashOf, keyIdFault } from "./envelope-v2.js";
import { KMS_V2 } from "./messages.js";
import type { Plugin } from "./plugin-channel.js";

/** How often the plugin is asked for its key, and how often while it is not healthy. */
const PACE = { healthy: 60_000, failing: 10_000 } as const;
/** How long an answer to a health check holds. */
const HOLDS = { healthy: 20_000, failing: 3000 } as const;

interface Answer {
  readonly error: TransformError | undefined;
  readonly at: number;
}

type PluginParts = Omit<EnvelopeParts, "provider"> & { readonly timers: Timers };

/** A KMS v2 plugin: its key encrypts the seeds of values. Its status is polled while the plugin is open. */
export class PluginV2 implements Plugin {
  readonly #envelope: EnvelopeV2;
  #answer: Answer | undefined;
  #asking: Promise<Answer> | undefined;
  #version: string | undefined;
  #stopPause = (): void => {};
  #isClosed = false;

  private constructor(
    readonly name: string,
    private readonly parts: PluginParts,
  ) {
    this.#envelope = new EnvelopeV2({ ...parts, provider: name });
  }

  /** Asks the plugin once before it resolves. A plugin that does not answer yet is asked again in the background. */
  static async open(name: string, parts: PluginParts): Promise<PluginV2> {
    const plugin = new PluginV2(name, parts);
    await plugin.#ask();
    plugin.#askLater();
    return plugin;
  }

  get transformer(): Transformer {
    return this.#envelope;
  }

  async check(): Promise<void> {
    const { error } = this.#fresh() ?? (await this.#ask());
    if (error !== undefined) throw error;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopPause();
    this.parts.channel.close();
  }

  #fresh(): Answer | undefined {
    const answer = this.#answer;
    if (answer === undefined) return undefined;
    const holds = answer.error === undefined ? HOLDS.healthy : HOLDS.failing;
    return this.parts.clock.now() - answer.at < holds ? answer : undefined;
  }

  #askLater(): void {
    if (this.#isClosed) return;
    const pace = this.#answer?.error === undefined ? PACE.healthy : PACE.failing;
    this.#stopPause = this.parts.timers.start(pace, () => void this.#ask().then(() => this.#askLater()));
  }

  #ask(): Promise<Answer> {
    this.#asking ??= this.#askOnce().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #askOnce(): Promise<Answer> {
    let error: TransformError | undefined;
    try {
      await this.#askStatus();
    } catch (failure) {
      error = failure instanceof TransformError ? failure : new TransformError(errorMessage(failure), true);
    }
    this.#answer = { error, at: this.parts.clock.now() };
    return this.#answer;
  }

  async #askStatus(): Promise<void> {
    const { name } = this;
    const status = await this.parts.channel.call(KMS_V2.status, {}).catch((error: unknown) => {
      throw new TransformError(
        `failed to perform status section of the healthz check for KMS Provider ${name}, error: ${errorMessage(error)}`,
        true,
      );
    });
    const faults: string[] = [];
    if (status.healthz !== "ok") faults.push(`got unexpected healthz status: ${status.healthz}`);
    faults.push(...this.#versionFaults(status.version));
    const keyFault = keyIdFault(status.keyId);
    if (keyFault !== undefined) {
      faults.push(`got invalid KMSv2 KeyID hash ${goQuote(hashOf(status.keyId))}: ${keyFault}`);
    } else {
      await this.#envelope.useKey(status.keyId).catch((error: unknown) => void faults.push(errorMessage(error)));
    }
    if (faults.length === 0) return;
    throw new TransformError(`kmsv2 Provider ${name} is not healthy, error: ${aggregateText(faults)}`, true);
  }

  #versionFaults(version: string): readonly string[] {
    if (version !== "v2" && version !== "v2beta1") return [`expected KMSv2 API version v2, got ${version}`];
    this.#version ??= version;
    if (this.#version === version) return [];
    return [
      `KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`,
    ];
  }
}
