import { isDeepStrictEqual } from "node:util";
import { errorMessage } from "../../../base/text/error-message.js";
import { readBytes } from "../../../base/files/read-file.js";
import { WatchedFile } from "../../../base/files/watched-file.js";
import { type Authorization, type AuthorizationMode, chainOf, type FixedModes } from "../authorizer.js";
import { type AuthorizationConfiguration, fixedTypesOf, loadConfiguration } from "./load-configuration.js";
import { type AuthorizerSurroundings, type PreparedAuthorizers, prepareAuthorizers } from "./prepared-authorizers.js";

/**
 * The authorizers of a configuration file, which is followed: a change that is right replaces all of them at once. While the file is at
 * fault, the authorizers stay as they are, and {@link check} rejects. A reload may add, remove and change webhooks, and change
 * the order; the other types stay.
 */
export class ConfigurationFile {
  readonly #file: string;
  readonly #surroundings: AuthorizerSurroundings;
  /** The types of authorizers that the server has since its start. */
  readonly fixedTypes: ReadonlySet<string>;
  #bytes: Buffer;
  #configuration: AuthorizationConfiguration;
  #prepared: PreparedAuthorizers;
  #fixed: FixedModes = {};
  #chain: Authorization = chainOf([]);
  #fault: Error | undefined;
  #watched: WatchedFile | undefined;

  private constructor(file: string, loaded: Loaded, surroundings: AuthorizerSurroundings) {
    this.#file = file;
    this.#surroundings = surroundings;
    this.#bytes = loaded.bytes;
    this.#configuration = loaded.configuration;
    this.#prepared = loaded.prepared;
    this.fixedTypes = fixedTypesOf(loaded.configuration);
  }

  /** Rejects with an Error that names the file, and the field where one is wrong. */
  static async open(file: string, surroundings: AuthorizerSurroundings): Promise<ConfigurationFile> {
    try {
      const bytes = await readBytes(file);
      const configuration = loadConfiguration(bytes);
      const prepared = await prepareAuthorizers(configuration, surroundings);
      return new ConfigurationFile(file, { bytes, configuration, prepared }, surroundings);
    } catch (error) {
      throw new Error(`authorization config file ${file}: ${errorMessage(error)}`, { cause: error });
    }
  }

  /** Begins to follow the file. The mode asks the authorizers that the file has when it is asked. */
  start(fixed: FixedModes): AuthorizationMode {
    this.#fixed = fixed;
    this.#chain = chainOf(this.#prepared.modes(fixed));
    this.#watched = new WatchedFile({
      file: this.#file,
      timers: this.#surroundings.timers,
      look: () => this.#look(),
    });
    return {
      name: "AuthorizationConfiguration",
      authorize: (attributes) => this.#chain.authorize(attributes),
      rightsOf: (user, namespace) => this.#chain.rightsOf(user, namespace),
    };
  }

  /** Rejects while the file is at fault. */
  check(): Promise<void> {
    return this.#fault === undefined ? Promise.resolve() : Promise.reject(this.#fault);
  }

  async close(): Promise<void> {
    await this.#watched?.close();
    this.#prepared.retire();
  }

  async #look(): Promise<void> {
    try {
      const bytes = await readBytes(this.#file);
      // A fault may have passed without a change of the file: a kubeconfig that it names is there now.
      if (this.#fault === undefined && bytes.equals(this.#bytes)) return;
      this.#bytes = bytes;
      await this.#replace(loadConfiguration(bytes, this.fixedTypes));
      this.#fault = undefined;
    } catch (error) {
      this.#report(error);
    }
  }

  async #replace(configuration: AuthorizationConfiguration): Promise<void> {
    if (isDeepStrictEqual(configuration, this.#configuration)) return;
    const prepared = await prepareAuthorizers(configuration, this.#surroundings);
    let chain: Authorization;
    try {
      chain = chainOf(prepared.modes(this.#fixed));
    } catch (error) {
      prepared.retire();
      throw error;
    }
    const before = this.#prepared;
    this.#prepared = prepared;
    this.#chain = chain;
    this.#configuration = configuration;
    before.retire();
  }

  /** A fault that lasts is reported once. */
  #report(error: unknown): void {
    const fault = error instanceof Error ? error : new Error(String(error));
    const isKnown = this.#fault?.message === fault.message;
    this.#fault = fault;
    if (isKnown) return;
    const message = `reloading authorization config file ${this.#file}: ${fault.message}`;
    this.#surroundings.reportError(new Error(message, { cause: error }));
  }
}

interface Loaded {
  readonly bytes: Buffer;
  readonly configuration: AuthorizationConfiguration;
  readonly prepared: PreparedAuthorizers;
}
