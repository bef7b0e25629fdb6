import { throwIfCancelled } from "../../base/async/cancellation.js";
import type { MeasuredAdmission, ServerMeasures } from "../metrics/measures.js";
import type { AdmissionRecord, Operation } from "./attributes.js";
import type { AdmissionContext, AdmissionPlugin, AdmissionTarget } from "./plugin.js";

/** Both admission phases for one operation on one resource. A phase without plugins is undefined, and then costs nothing. */
export interface AdmissionPhases {
  readonly mutate?: ((attributes: AdmissionRecord) => Promise<void>) | undefined;
  readonly validate?: ((attributes: AdmissionRecord) => Promise<void>) | undefined;
}

/** The plugins that look at one operation on one resource. */
interface Handling {
  readonly plugins: readonly AdmissionPlugin[];
  /** Those of them that may have nothing to do. */
  readonly mayIdle: readonly AdmissionPlugin[];
  /** By which of {@link mayIdle} are idle, as the bits of a number. */
  readonly phases: Map<number, AdmissionPhases>;
}

/** The enabled plugins in running order. */
export class AdmissionChain {
  readonly #handling = new Map<string, Handling>();
  /** Phases without plugins, which are measured too, as in kube-apiserver. */
  readonly #passing: Required<AdmissionPhases> = {
    mutate: this.#step("admit", async () => {}),
    validate: this.#step("validate", async () => {}),
  };

  constructor(
    readonly plugins: readonly AdmissionPlugin[],
    private readonly context: AdmissionContext,
  ) {}

  /** The phases of a request that comes now: an operation on a resource. */
  phases(operation: Operation, target: AdmissionTarget): AdmissionPhases {
    const { plugins, mayIdle, phases } = this.#handlingOf(operation, target);
    let idle = 0;
    for (let index = 0; index < mayIdle.length; index++) {
      if (mayIdle[index]?.idle?.(this.context, target) === true) idle |= 1 << index;
    }
    let assembled = phases.get(idle);
    if (assembled === undefined) {
      assembled = this.#assemble(
        plugins.filter((plugin) => !mayIdle.some((one, index) => one === plugin && (idle & (1 << index)) !== 0)),
      );
      phases.set(idle, assembled);
    }
    return this.context.measuring?.on === undefined ? assembled : { ...this.#passing, ...assembled };
  }

  #handlingOf(operation: Operation, target: AdmissionTarget): Handling {
    const key = `${operation} ${target.group}/${target.resource}/${target.subresource}`;
    let handling = this.#handling.get(key);
    if (handling === undefined) {
      const plugins = this.plugins.filter((plugin) => plugin.handles?.(operation, target) ?? true);
      handling = { plugins, mayIdle: plugins.filter(({ idle }) => idle !== undefined), phases: new Map() };
      this.#handling.set(key, handling);
    }
    return handling;
  }

  #assemble(plugins: readonly AdmissionPlugin[]): AdmissionPhases {
    const mutating = plugins.filter(({ admit }) => admit !== undefined);
    const validating = plugins.filter(({ validate }) => validate !== undefined);
    const admitAll = async (attributes: AdmissionRecord): Promise<void> => {
      for (const plugin of mutating) {
        throwIfCancelled(attributes.request.token);
        await this.#admit(plugin, attributes);
      }
    };
    const mutate = async (attributes: AdmissionRecord): Promise<void> => {
      await admitAll(attributes);
      if (!attributes.reinvocation.requested) return;
      attributes.reinvocation.begin();
      await admitAll(attributes);
    };
    const validate = async (attributes: AdmissionRecord): Promise<void> => {
      for (const plugin of validating) {
        throwIfCancelled(attributes.request.token);
        await this.#validate(plugin, attributes);
      }
    };
    return {
      ...(mutating.length > 0 && { mutate: this.#step("admit", mutate) }),
      ...(validating.length > 0 && { validate: this.#step("validate", validate) }),
    };
  }

  #admit(plugin: AdmissionPlugin, attributes: AdmissionRecord): Promise<void> | void {
    const measures = this.context.measuring?.on;
    if (measures === undefined) return plugin.admit?.(attributes, this.context);
    const tell = (outcome: MeasuredAdmission): void => measures.admissionPlugin(plugin.name, outcome);
    return measured("admit", attributes, measures, tell, () => plugin.admit?.(attributes, this.context));
  }

  #validate(plugin: AdmissionPlugin, attributes: AdmissionRecord): Promise<void> | void {
    const measures = this.context.measuring?.on;
    if (measures === undefined) return plugin.validate?.(attributes, this.context);
    const tell = (outcome: MeasuredAdmission): void => measures.admissionPlugin(plugin.name, outcome);
    return measured("validate", attributes, measures, tell, () => plugin.validate?.(attributes, this.context));
  }

  /** A phase of all plugins, which is measured as a whole. */
  #step(type: MeasuredAdmission["type"], phase: (attributes: AdmissionRecord) => Promise<void>) {
    return (attributes: AdmissionRecord): Promise<void> => {
      const measures = this.context.measuring?.on;
      if (measures === undefined) return phase(attributes);
      const tell = (outcome: MeasuredAdmission): void => measures.admissionStep(outcome);
      return measured(type, attributes, measures, tell, () => phase(attributes));
    };
  }
}

/** Does the work, and tells how long it took and whether it rejected the request. */
async function measured(
  type: MeasuredAdmission["type"],
  { operation }: AdmissionRecord,
  measures: ServerMeasures,
  tell: (outcome: MeasuredAdmission) => void,
  work: () => Promise<void> | void,
): Promise<void> {
  const began = measures.now();
  let rejected = true;
  try {
    await work();
    rejected = false;
  } finally {
    tell({ type, operation, rejected, milliseconds: measures.now() - began });
  }
}
