import { bootstrapFlowControl } from "../../api/bootstrap/flow-control.js";
import { soon } from "../../base/async/turns.js";
import type { Timers } from "../../base/time/timers.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type DanglingCondition, type DanglingSchemas, missingCondition } from "./dangling-schemas.js";
import { readFlowSchema } from "./flow-schema.js";
import { FlowSchemas, inOrderOfPrecedence } from "./flow-schemas.js";
import { CATCH_ALL, EXEMPT, type LevelSpec, readLevel } from "./level-spec.js";
import type { PriorityLevels } from "./priority-levels.js";

/** How often the levels' seats are divided anew, in milliseconds. */
const REBALANCE = 10_000;
/** How long conditions wait that were written too often, and those that could not be written, in milliseconds. */
const REWRITE = 60_000;
const RETRY = 1000;

/** The two kinds of objects that the configuration is made of. */
export const SCHEMAS = "flowcontrol.apiserver.k8s.io/flowschemas";
export const LEVELS = "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations";

/** The source of FlowSchemas and PriorityLevelConfigurations. */
export interface ConfigurationSource {
  /**
   * Tells the objects of a resource as they are now, and each change from then on. Resolves when they were told for the first time; `signal`
   * ends it.
   */
  follow(id: string, listener: SourceListener): Promise<void>;
}

export interface SourceListener {
  readonly signal: AbortSignal;
  readonly replaced: (objects: readonly KubeObject[]) => void;
  readonly changed: (type: "ADDED" | "MODIFIED" | "DELETED", object: KubeObject) => void;
}

interface ConfigurationParts {
  readonly levels: PriorityLevels;
  readonly timers: Timers;
  readonly reportError: (error: unknown) => void;
}

/**
 * Keeps levels and schemas as the store has them. The mandatory ones are always there. All objects are read together after a change, because the share
 * of each level depends on the others.
 */
export class FlowControlConfiguration {
  #schemas: FlowSchemas;
  readonly #stored = { [SCHEMAS]: new Map<string, KubeObject>(), [LEVELS]: new Map<string, KubeObject>() };
  readonly #stopping = new AbortController();
  readonly #mandatory = mandatoryObjects();
  readonly #faults = new Set<string>();
  #dangling: DanglingSchemas | undefined;
  #isDue = false;
  #writing: Promise<void> = Promise.resolve();
  #cancelTimers: (() => void) | undefined;
  #cancelRewrite: (() => void) | undefined;

  constructor(private readonly parts: ConfigurationParts) {
    this.#schemas = this.#digest();
  }

  get schemas(): FlowSchemas {
    return this.#schemas;
  }

  /** Resolves when the stored objects count. The conditions of schemas are kept from then on. */
  async start(source: ConfigurationSource, dangling: DanglingSchemas): Promise<void> {
    await this.#follow(source, LEVELS);
    await this.#follow(source, SCHEMAS);
    this.#dangling = dangling;
    this.#settle();
    this.#rebalanceLater();
  }

  stop(): void {
    this.#stopping.abort();
    this.#cancelTimers?.();
    this.#cancelRewrite?.();
  }

  /** Reads all objects again, soon: some have changed, or a level that was to end is idle. */
  changed(): void {
    // Those that come before the start are read at the start.
    if (this.#isDue || this.#dangling === undefined) return;
    this.#isDue = true;
    soon(() => {
      this.#isDue = false;
      if (!this.#stopping.signal.aborted) this.#settle();
    });
  }

  #follow(source: ConfigurationSource, id: typeof SCHEMAS | typeof LEVELS): Promise<void> {
    const objects = this.#stored[id];
    return source.follow(id, {
      signal: this.#stopping.signal,
      replaced: (all) => {
        objects.clear();
        for (const one of all) objects.set(one.metadata?.name ?? "", one);
        this.changed();
      },
      changed: (type, one) => {
        const name = one.metadata?.name ?? "";
        if (type === "DELETED") objects.delete(name);
        else objects.set(name, one);
        this.changed();
      },
    });
  }

  #rebalanceLater(): void {
    this.#cancelTimers = this.parts.timers.start(REBALANCE, () => {
      this.parts.levels.rebalance();
      this.#rebalanceLater();
    });
  }

  #settle(): void {
    const missing = new Map<string, DanglingCondition>();
    this.#schemas = this.#digest(missing);
    if (missing.size > 0) this.#write(missing);
  }

  /** Takes the stored objects over. `missing` receives the conditions that schemas lack, by their names. */
  #digest(missing = new Map<string, DanglingCondition>()): FlowSchemas {
    const { levels } = this.parts;
    const { exempt, catchAll } = this.#mandatory;
    const specs = this.#readLevels();
    const known = new Set(specs.map(({ name }) => name));
    const schemas = [...this.#stored[SCHEMAS].values()].flatMap((stored) => {
      const schema = readFlowSchema(stored);
      const exists = known.has(schema.level);
      const condition = missingCondition(stored, schema.level, exists);
      if (condition !== undefined) missing.set(schema.name, condition);
      return exists ? [schema] : [];
    });
    levels.settle(specs, [exempt.level, catchAll.level]);
    const all = inOrderOfPrecedence(schemas, { exempt: exempt.schema, catchAll: catchAll.schema });
    return new FlowSchemas(all, catchAll.schema, (name) => {
      const level = levels.get(name) ?? levels.get(CATCH_ALL);
      if (level === undefined) throw new Error(`there is no priority level "${name}"`);
      return level;
    });
  }

  /** The levels that mean something. A fault of another is reported once. */
  #readLevels(): readonly LevelSpec[] {
    return [...this.#stored[LEVELS].values()].flatMap((stored) => {
      try {
        return [readLevel(stored)];
      } catch (error) {
        if (!this.#faults.has(String(error))) this.parts.reportError(error);
        this.#faults.add(String(error));
        return [];
      }
    });
  }

  #write(missing: ReadonlyMap<string, DanglingCondition>): void {
    const dangling = this.#dangling;
    if (dangling === undefined) return;
    // One after the other: a later condition of a schema must not be written before an earlier one.
    this.#writing = this.#writing.then(async () => {
      if (this.#stopping.signal.aborted) return;
      let wait: number | undefined;
      try {
        if (await dangling.settle(missing)) wait = REWRITE;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.parts.reportError(error);
        wait = RETRY;
      }
      if (wait === undefined) return;
      this.#cancelRewrite?.();
      this.#cancelRewrite = this.parts.timers.start(wait, () => this.changed());
    });
  }
}

/** What a server has even where nothing is stored. */
function mandatoryObjects() {
  const objects = bootstrapFlowControl();
  const named = (kind: string, name: string): KubeObject =>
    objects.find((one) => one.kind === kind && one.metadata?.name === name) as KubeObject;
  const pair = (name: string) => ({
    level: readLevel(named("PriorityLevelConfiguration", name)),
    schema: readFlowSchema(named("FlowSchema", name)),
  });
  return { exempt: pair(EXEMPT), catchAll: pair(CATCH_ALL) };
}
