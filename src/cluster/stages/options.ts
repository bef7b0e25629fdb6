import { serverGates } from "../../api/gates/feature-gates.js";
import { type Release, releaseOf } from "../../api/facts/index.js";
import { aggregateText } from "../../machinery/errors/aggregate-text.js";
import { enabledPlugins } from "../../server/admission/enabled-plugins.js";
import type { Composition } from "../composition.js";
import { readAdmissionOptions } from "../options/admission-configuration.js";
import { emulationOf } from "../../component/apiserver-flags/emulation.js";
import { serverFaults } from "../options/server-faults.js";
import type { ServerOptions } from "../options/server-options.js";
import { Config } from "./config.js";

/** kube-apiserver's words: a server that allows everything knows who asks. */
const ANONYMOUS_HAS_NO_EFFECT =
  "AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer";

/** The first stage of a server: the choices of its user, by flags or in code. */
export class Options {
  /** May be changed until {@link toConfig}. */
  values: ServerOptions;
  readonly #composition: Composition;

  constructor(values: ServerOptions, composition: Composition) {
    this.values = values;
    this.#composition = composition;
  }

  /** Everything that cannot be right, without a look at any file; empty for good options. */
  validate(): readonly string[] {
    return serverFaults(this.values);
  }

  /** Reads the configuration files that the options name. Rejects with one error for all faults of {@link validate}, and for a file that cannot be read. */
  async toConfig(): Promise<Config> {
    const faults = this.validate();
    if (faults.length > 0) throw new Error(aggregateText(faults));
    const { authentication, authorization, onWarning = () => {} } = this.values;
    if (authentication?.anonymous === true && authorization?.modes?.includes("AlwaysAllow") === true) {
      onWarning(ANONYMOUS_HAS_NO_EFFECT);
    }
    const release = await this.#release();
    const gates = serverGates(release.emulated, this.values.featureGates);
    const admission = await readAdmissionOptions(this.values.admission ?? {}, gates);
    // Plugins that only the file names are known now.
    enabledPlugins(admission);
    return new Config({ ...this.values, admission }, this.#composition, { release, gates });
  }

  /** The version of Kubernetes that the server is, or behaves as. */
  async #release(): Promise<Release> {
    const { kubernetesVersion, onWarning = () => {} } = this.values;
    const own = await releaseOf(kubernetesVersion);
    const emulation = emulationOf(this.values);
    if (emulation === undefined) return own;
    const { emulate } = await import("../../api/facts/emulation.js");
    const { emulated } = emulation;
    if (emulated !== own.version) {
      // K37-260
      onWarning(
        `the server is Kubernetes ${own.version} and emulates ${emulated}: life cycles, feature gates, stored versions and CEL are those of ${emulated}; fields, schemas, texts and columns stay those of ${own.version}. A server that is ${emulated} in everything has the kubernetesVersion ${emulated} (--kubernetes-version)`,
      );
    }
    return emulate(own, emulation, this.#composition.runtimeConfig);
  }
}
