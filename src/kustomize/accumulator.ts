import { LOCAL_CONFIG } from "./annotations.js";
import { emptyConfig, mergeConfigs } from "./configuration/config.js";
import type { TransformerConfig } from "./facts/default-config.js";
import { isNilOrEmpty } from "./nodes/node.js";
import { requireMetadata } from "./read-resources.js";
import { ResourceList } from "./resource-list.js";
import { addVars, mergeVars, type Var } from "./vars.js";

/** What a kustomization has gathered: objects, and what is needed to finish them. */
export class Accumulator {
  readonly list = new ResourceList();
  config: TransformerConfig = emptyConfig;
  vars: ReadonlyMap<string, Var> = new Map();

  /** Takes over what another one has gathered. */
  merge(other: Accumulator): void {
    this.list.appendAll(other.list.resources);
    this.config = mergeConfigs(this.config, other.config);
    this.vars = mergeVars(this.vars, other.vars.values());
  }

  addVars(vars: readonly Var[]): void {
    this.vars = addVars(this.list, this.vars, vars);
  }

  /** Objects that are only for tools are not part of the result. */
  dropLocal(): void {
    const kept = this.list.resources.filter(({ node, annotations }) => {
      if (node === undefined || isNilOrEmpty(node)) return false;
      requireMetadata(node);
      const local = annotations[LOCAL_CONFIG];
      return local === undefined || local === "false";
    });
    this.list.intersect(kept.map(({ id }) => id));
  }
}
