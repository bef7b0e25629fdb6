import { kubernetesClient, type KubernetesClient, type KubeObject, loadConfig } from "../../../src/client/index.js";
import type { Cluster } from "../../../src/cluster/index.js";
import type { Dice } from "../../hostile/dice.js";

export const CONFIG_MAPS = { group: "", version: "v1", resource: "configmaps" };
export const NAMESPACES = ["one", "two", "three"] as const;
const NAMES = 192;
const WRITERS = 12;
const TIERS = ["front", "back", undefined] as const;

/** A client of the cluster that no fault reaches. */
export async function directClient(cluster: Cluster): Promise<KubernetesClient> {
  const config = await loadConfig({ server: "https://in-process.invalid", token: cluster.token, env: {} });
  // What comes over no wire is not decompressed.
  return kubernetesClient({ ...config, disableCompression: true }, { transport: cluster.transport() });
}

/**
 * Writes a random history of config maps: creates, updates, deletes, and changes of the label `tier`, by which objects enter and
 * leave selectors. Objects of different names change at the same time.
 */
export class HistoryWriter {
  #step = 0;
  #existing = new Set<string>();
  #client: KubernetesClient | undefined;

  constructor(private readonly dice: Dice) {}

  /** Goes on with this cluster, and with what it holds. */
  async use(cluster: Cluster): Promise<void> {
    this.#client = await directClient(cluster);
    const namespaces = this.#client.resource({ group: "", version: "v1", resource: "namespaces" });
    const there = new Set((await namespaces.list()).items.map(({ metadata }) => metadata?.name));
    for (const name of NAMESPACES) {
      if (!there.has(name)) await namespaces.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    const { items } = await this.#client.resource(CONFIG_MAPS).list();
    this.#existing = new Set(items.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`));
  }

  async write(count: number): Promise<void> {
    let left = count;
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        while (left-- > 0) await this.#writeOne(writer);
      }),
    );
  }

  /** Each writer has names that no other has. */
  async #writeOne(writer: number): Promise<void> {
    const { dice } = this;
    if (this.#client === undefined) throw new Error("there is no cluster");
    const namespace = dice.pick(NAMESPACES);
    const name = `map-${dice.below(Math.floor(NAMES / WRITERS)) * WRITERS + writer}`;
    const maps = this.#client.resource(CONFIG_MAPS).namespace(namespace);
    const key = `${namespace}/${name}`;
    if (!this.#existing.has(key)) {
      await maps.create(this.#object(name));
      this.#existing.add(key);
    } else if (dice.chance(0.2)) {
      await maps.delete(name);
      this.#existing.delete(key);
    } else await maps.update(this.#object(name));
  }

  #object(name: string): KubeObject {
    const tier = this.dice.pick(TIERS);
    return {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, ...(tier !== undefined && { labels: { tier } }) },
      data: { step: String(this.#step++), ballast: "x".repeat(this.dice.below(400)) },
    };
  }
}
