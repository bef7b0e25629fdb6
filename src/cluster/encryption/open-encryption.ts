import { errorMessage } from "../../base/text/error-message.js";
import { pause } from "../../base/time/pause.js";
import { aggregateText } from "../../machinery/errors/aggregate-text.js";
import type { HealthCheck } from "../../server/endpoints/non-resource/health.js";
import { EncryptedKv } from "../../server/storage/encryption/encrypted-kv.js";
import type { Plugin } from "../../server/storage/encryption/kms/plugin-channel.js";
import type { Kv } from "../../server/storage/kv.js";
import { watchFile } from "../reload/watch-files.js";
import {
  type EncryptionOptions,
  type EncryptionSurroundings,
  type LoadedEncryption,
  loadEncryption,
  readConfigurationText,
} from "./load-encryption.js";
import { requireReadableValues } from "./readable-values.js";

export interface OpenedEncryption {
  /** Encrypts what is written, and decrypts what is read. */
  readonly kv: Kv;
  readonly healthChecks: readonly HealthCheck[];
  /** Ends what follows the file and asks plugins. The store stays open. */
  close(): Promise<void>;
}

/** The single check of all plugins, as kube-apiserver names it. */
const CHECK = "kms-providers";

/**
 * Wraps `kv` so that values are encrypted. Rejects in kube-apiserver's words for an invalid configuration, and where no provider
 * in it can read the stored values.
 */
export async function openEncryption(
  kv: Kv,
  options: EncryptionOptions,
  surroundings: EncryptionSurroundings,
): Promise<OpenedEncryption> {
  const encryption = new Encryption(kv, options, surroundings);
  await encryption.open();
  return encryption;
}

class Encryption implements OpenedEncryption {
  #kv: EncryptedKv | undefined;
  #current: LoadedEncryption | undefined;
  #stopWatching = (): void => {};
  #isClosed = false;
  #fault: string | undefined;
  /** Plugins of former configurations whose calls may not have ended. */
  readonly #retired = new Set<() => void>();

  constructor(
    private readonly inner: Kv,
    private readonly options: EncryptionOptions,
    private readonly surroundings: EncryptionSurroundings,
  ) {}

  get kv(): Kv {
    return this.#kv as Kv;
  }

  get healthChecks(): readonly HealthCheck[] {
    const { plugins = [], usesKmsV1 = false } = this.#current?.transformers ?? {};
    const ofAll = {
      name: CHECK,
      isReadinessOnly: true,
      check: () => checkAll(this.#current?.transformers.plugins ?? []),
    };
    if (this.options.reloads) return [ofAll];
    if (plugins.length === 0) return [];
    if (!usesKmsV1) return [ofAll];
    return plugins.map((plugin, index) => ({
      name: `kms-provider-${index}`,
      isReadinessOnly: true,
      check: () => plugin.check(),
    }));
  }

  async open(): Promise<void> {
    const { encryption, reloads } = this.options;
    const text = typeof encryption === "string" ? await readConfigurationText(encryption) : undefined;
    this.#current = await this.#load(text);
    this.#kv = new EncryptedKv(this.inner, this.#current.keys, this.surroundings.timers);
    if (typeof encryption !== "string" || !reloads || text === undefined) return;
    this.#stopWatching = watchFile(
      {
        path: encryption,
        timers: this.surroundings.timers,
        take: (changed) => this.#take(changed),
        tell: (fault) => this.#tell(encryption, fault),
      },
      text,
    );
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatching();
    for (const end of this.#retired) end();
    this.#current?.transformers.close();
    return Promise.resolve();
  }

  /** A fault that lasts is reported once. */
  #tell(file: string, fault: string | undefined): void {
    if (fault !== undefined && fault !== this.#fault) {
      this.surroundings.report(new Error(`error processing encryption config file ${file}: ${fault}`));
    }
    this.#fault = fault;
  }

  /** Goes on with a changed file. The former configuration stays where the file is wrong, or a plugin of it does not work. */
  async #take(text: string): Promise<void> {
    const next = await this.#load(text);
    try {
      await this.#untilHealthy(next);
      if (this.#isClosed) throw new Error("the server is closing");
    } catch (error) {
      next.transformers.close();
      throw error;
    }
    const former = this.#current;
    this.#current = next;
    await this.#kv?.replace(next.keys);
    if (former !== undefined) this.#retire(former);
  }

  /** Calls of its plugins that are under way end by themselves. */
  #retire({ transformers, graceMilliseconds }: LoadedEncryption): void {
    const end = (): void => {
      cancel();
      this.#retired.delete(end);
      transformers.close();
    };
    const cancel = this.surroundings.timers.start(graceMilliseconds, end);
    this.#retired.add(end);
  }

  async #untilHealthy({ transformers, graceMilliseconds }: LoadedEncryption): Promise<void> {
    const { clock, timers } = this.surroundings;
    const until = clock.now() + Math.max(graceMilliseconds, LEAST_PATIENCE);
    for (;;) {
      try {
        return await checkAll(transformers.plugins);
      } catch (error) {
        if (clock.now() >= until || this.#isClosed) {
          throw new Error(
            `health check for new transformers failed, polling error timed out waiting for the condition: ${errorMessage(error)}`,
            { cause: error },
          );
        }
      }
      await pause(timers, CHECK_AGAIN);
    }
  }

  async #load(text: string | undefined): Promise<LoadedEncryption> {
    const loaded = await loadEncryption(text, this.options, this.surroundings);
    try {
      await requireReadableValues(this.inner, loaded.transformers, loaded.keys);
      return loaded;
    } catch (error) {
      loaded.transformers.close();
      throw error;
    }
  }
}

/** How long the plugins of a changed file may take to answer at least, and how often they are asked meanwhile. */
const LEAST_PATIENCE = 10_000;
const CHECK_AGAIN = 100;

async function checkAll(plugins: readonly Plugin[]): Promise<void> {
  const faults: string[] = [];
  for (const [index, plugin] of plugins.entries()) {
    await plugin.check().catch((error: unknown) => void faults.push(`kms-provider-${index}: ${errorMessage(error)}`));
  }
  if (faults.length > 0) throw new Error(aggregateText(faults));
}
