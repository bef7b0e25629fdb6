import type { AdmissionRecord, Operation } from "./attributes.js";
import type { AdmissionContext, AdmissionPlugin, AdmissionTarget } from "./plugin.js";

/** Both phases for one operation on one resource. A phase without plugins is undefined, and a write without both pays nothing. */
export interface AdmissionPhases {
  readonly mutate?: ((attributes: AdmissionRecord) => Promise<void>) | undefined;
  readonly validate?: ((attributes: AdmissionRecord) => Promise<void>) | undefined;
}

/** The enabled plugins in running order. */
export class AdmissionChain {
  readonly #phases = new Map<string, AdmissionPhases>();

  constructor(
    readonly plugins: readonly AdmissionPlugin[],
    private readonly context: AdmissionContext,
  ) {}

  /** The phases for an operation on a resource; made once. */
  phases(operation: Operation, target: AdmissionTarget): AdmissionPhases {
    const key = `${operation} ${target.group}/${target.resource}/${target.subresource}`;
    let phases = this.#phases.get(key);
    if (phases === undefined) {
      phases = this.#assemble(this.plugins.filter((plugin) => plugin.handles?.(operation, target) ?? true));
      this.#phases.set(key, phases);
    }
    return phases;
  }

  #assemble(plugins: readonly AdmissionPlugin[]): AdmissionPhases {
    const mutating = plugins.filter(({ admit }) => admit !== undefined);
    const validating = plugins.filter(({ validate }) => validate !== undefined);
    const admitAll = async (attributes: AdmissionRecord): Promise<void> => {
      for (const plugin of mutating) await plugin.admit?.(attributes, this.context);
    };
    return {
      mutate:
        mutating.length === 0
          ? undefined
          : async (attributes) => {
              await admitAll(attributes);
              if (!attributes.reinvocation.requested) return;
              attributes.reinvocation.begin();
              await admitAll(attributes);
            },
      validate:
        validating.length === 0
          ? undefined
          : async (attributes) => {
              for (const plugin of validating) await plugin.validate?.(attributes, this.context);
            },
    };
  }
}
