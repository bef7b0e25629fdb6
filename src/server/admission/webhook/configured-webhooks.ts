import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionObjects, CachedObject } from "../plugin.js";
import { type Webhook, webhooksOf } from "./webhook.js";

const GROUP = "admissionregistration.k8s.io";

/**
 * The webhooks of all configurations of one kind, by the names of the configurations. Each request sees the configurations of
 * its arrival; one revision of a configuration is prepared once.
 */
export class ConfiguredWebhooks {
  #seen: readonly CachedObject[] | undefined;
  #webhooks: readonly Webhook[] = [];
  #prepared = new Map<string, { readonly version: string; readonly webhooks: readonly Webhook[] }>();

  constructor(private readonly resource: "mutatingwebhookconfigurations" | "validatingwebhookconfigurations") {}

  /** True where the watch cache holds no configuration. Every write asks. */
  areNone({ cached }: AdmissionObjects): boolean {
    return cached.now(GROUP, this.resource)?.length === 0;
  }

  async now({ cached }: AdmissionObjects): Promise<readonly Webhook[]> {
    const found = cached.now(GROUP, this.resource);
    if (found === undefined) return this.#prepare(await cached.list(GROUP, this.resource));
    if (found !== this.#seen) {
      this.#webhooks = this.#prepare(found.map((one) => one.object()));
      this.#seen = found;
    }
    return this.#webhooks;
  }

  #prepare(configurations: readonly KubeObject[]): readonly Webhook[] {
    const before = this.#prepared;
    this.#prepared = new Map();
    return configurations.flatMap((configuration) => {
      const { name = "", resourceVersion: version = "" } = configuration.metadata ?? {};
      const known = before.get(name);
      const current = known?.version === version ? known : { version, webhooks: webhooksOf(configuration) };
      this.#prepared.set(name, current);
      return current.webhooks;
    });
  }
}
