import type { Measuring } from "../metrics/measures.js";
import type { FieldsOf } from "../../machinery/meta/received.js";
import type { CustomResourceDefinition } from "../../api/types/apiextensions/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { nextSlice } from "../../base/async/time-slice.js";
import type { Timers } from "../../base/time/timers.js";
import { pause } from "../../base/time/pause.js";
import { ItemExponentialFailureRateLimiter } from "../../client/workqueue/rate-limiters.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { ruleDialect } from "../../machinery/structural/rules/dialect.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import type { GroupResource } from "../../machinery/errors/status-error.js";
import type { ApiRegistry } from "../api-registry/api-registry.js";
import type { ResourceDefinition, ResourceInstaller } from "../api-registry/resource-definition.js";
import { Store } from "../registry/store.js";
import type { ObjectStore, StoredObject } from "../storage/store.js";
import type { WebhookClients } from "../webhook/webhook-clients.js";
import { CustomApiServices } from "./custom-api-services.js";
import { CustomResource, TERMINATING_VERBS, deleteInstances } from "./custom-resource.js";
import { errorMessage } from "../../base/text/error-message.js";
import { KnownDefinition } from "./known-definition.js";
import {
  nonStructural,
  approval,
  conditionOf,
  type DefinitionCondition,
  ESTABLISHED,
  established,
  FINALIZER,
  isTrue,
  judgeNames,
  type StatusChange,
  withConditions,
} from "./definition-conditions.js";

const DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions";
/** How long after a deletion that left objects the next one comes. */
const DELETE_AGAIN_MILLISECONDS = 1000;
const FOLLOW_AGAIN_MILLISECONDS = 1000;
/** The waits after failures in a row: 5 ms, doubled each time as kube-apiserver does, to a minute (there 1,000 seconds). */
const RETRY = { baseMilliseconds: 5, maxMilliseconds: 60_000 };

export interface CustomResourcesConfig {
  readonly registry: ApiRegistry;
  readonly webhooks: WebhookClients;
  readonly clock: Clock;
  readonly timers: Timers;
  /**
   * Writes status and finalizers of a definition as the server itself, by its subresource status; throws NotFound, Conflict, and
   * what admission throws.
   */
  readonly write: (definition: KubeObject) => Promise<unknown>;
  /** Writes an APIService as the server itself. Throws NotFound and Conflict. */
  readonly writeApiService?: (apiService: KubeObject) => Promise<unknown>;
  readonly reportError: (error: unknown) => void;
  /** Hears how long the rules of definitions take. Default: nobody does. */
  readonly measuring?: Measuring;
}

/** What is installed for a definition. */
interface Installed extends GroupResource {
  /** What of the definition the resource was made of. */
  readonly made: string;
  /** Discovery lists only what a kind that is being deleted can do. */
  readonly isListedTerminating?: boolean;
}

/**
 * Serves the kinds of CustomResourceDefinitions: follows the stored definitions, keeps their conditions, installs the established
 * ones in the registry, and deletes the objects of those that are being deleted. One definition is worked on at a time. They are
 * installed behind all other resources: of one that has a built-in resource's name, nothing is served.
 */
export class CustomResources {
  readonly #definitions = new Map<string, KnownDefinition>();
  /** The definitions of each group, by their names. */
  readonly #names = new Map<string, Set<string>>();
  readonly #installed = new Map<string, Installed>();
  readonly #due = new Set<string>();
  /** The groups whose APIServices may be others now. */
  readonly #dueGroups = new Set<string>();
  readonly #installer: ResourceInstaller;
  readonly #apiServices: CustomApiServices;
  /** The failures in a row of each definition, by its name. */
  readonly #failures = new ItemExponentialFailureRateLimiter<string>(RETRY);
  /** Those of each group's APIServices. */
  readonly #groupFailures = new ItemExponentialFailureRateLimiter<string>(RETRY);
  /** What a timer will make due. */
  readonly #waiting = new Set<string>();
  readonly #stopping = new AbortController();
  #working: Promise<void> | undefined;
  #following: Promise<void> | undefined;

  constructor(private readonly config: CustomResourcesConfig) {
    this.#installer = config.registry.installer({ owner: "a CustomResourceDefinition", yields: true });
    const replace = config.writeApiService ?? (() => Promise.resolve());
    this.#apiServices = new CustomApiServices(config.registry, this.#installer, replace);
  }

  /** Resolves when the kinds of all stored definitions are served. */
  async start(): Promise<void> {
    const objects = this.#objects();
    const { items, resourceVersion } = await objects.list("", { keepsUnreadable: true });
    for (const item of items) this.#keep(item);
    this.#install([...this.#definitions.keys()]);
    for (const name of this.#definitions.keys()) this.#due.add(name);
    await this.#apiServices.start().catch(this.config.reportError);
    for (const group of this.#apiServices.groups()) this.#dueGroups.add(group);
    this.#work();
    this.#following = this.#follow(objects, resourceVersion);
  }

  /** The aggregator tells that a client has changed or deleted an APIService of the group. */
  apiServiceChanged(group: string): void {
    this.#apiServices.restore(group).catch((error: unknown) => {
      // What it is now comes with another change.
      if (!isConflict(error) && !isNotFound(error)) this.config.reportError(error);
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
    await this.#working;
  }

  #objects(): ObjectStore {
    const { storage } = this.config.registry.kept(DEFINITIONS);
    if (!(storage instanceof Store)) throw new Error("definitions are not kept in the store");
    return storage.config.objects;
  }

  async #follow(objects: ObjectStore, from: string): Promise<void> {
    const { signal } = this.#stopping;
    let resourceVersion = from;
    while (!signal.aborted) {
      try {
        for await (const events of await objects.watch("", { signal, resourceVersion })) {
          for (const { type, object: stored, revision } of events) {
            resourceVersion = String(revision);
            if (stored === undefined) continue;
            if (type === "DELETED") this.#forget(nameOf(stored));
            else this.#keep(stored);
          }
          this.#work();
        }
      } catch (error) {
        if (signal.aborted) return;
        this.config.reportError(error);
        await this.#pause(FOLLOW_AGAIN_MILLISECONDS);
        resourceVersion = await this.#listAgain(objects, resourceVersion);
      }
    }
  }

  /** The history may be gone: what is stored now counts. */
  async #listAgain(objects: ObjectStore, known: string): Promise<string> {
    try {
      const { items, resourceVersion } = await objects.list("", { keepsUnreadable: true });
      const names = new Set(items.map(nameOf));
      for (const name of this.#definitions.keys()) if (!names.has(name)) this.#forget(name);
      for (const item of items) this.#keep(item);
      this.#work();
      return resourceVersion;
    } catch {
      return known;
    }
  }

  #keep(stored: StoredObject): void {
    const definition = this.#read(stored);
    if (definition === undefined) return;
    const { name, group } = definition;
    this.#definitions.set(name, definition);
    const names = this.#names.get(group);
    if (names === undefined) this.#names.set(group, new Set([name]));
    else names.add(name);
    this.#due.add(name);
    this.#dueGroups.add(group);
  }

  /** Undefined for what cannot be read, so that it keeps no other definition from being served. */
  #read(stored: StoredObject): KnownDefinition | undefined {
    try {
      return new KnownDefinition(stored, this.#definitions.get(nameOf(stored)));
    } catch (error) {
      this.config.reportError(error);
      return undefined;
    }
  }

  #forget(name: string): void {
    const definition = this.#definitions.get(name);
    if (definition === undefined) return;
    this.#definitions.delete(name);
    this.#names.get(definition.group)?.delete(name);
    this.#due.add(name);
    this.#dueGroups.add(definition.group);
    // Names that it held may be free now.
    for (const other of this.#othersOf(definition)) if (!other.namesAccepted) this.#due.add(other.name);
  }

  /** The other definitions of its group. */
  #othersOf({ name, group }: KnownDefinition): KnownDefinition[] {
    const others = [...(this.#names.get(group) ?? [])].filter((other) => other !== name);
    return others.flatMap((other) => this.#definitions.get(other) ?? []);
  }

  #work(): void {
    this.#working ??= this.#workOff().finally(() => {
      this.#working = undefined;
      if (this.#isDue() && !this.#stopping.signal.aborted) this.#work();
    });
  }

  async #workOff(): Promise<void> {
    while (this.#isDue() && !this.#stopping.signal.aborted) {
      const names = [...this.#due];
      this.#due.clear();
      this.#install(names);
      for (const name of names) {
        // Definitions may be large: each has a turn of the event loop.
        await nextSlice();
        try {
          await this.#reconcile(name);
          this.#definitions.get(name)?.settle();
          this.#failures.forget(name);
        } catch (error) {
          // After a conflict the definition's event makes it due. Admission may answer with the same code, and then no event comes.
          if (!isConflict(error) && !isNotFound(error)) this.config.reportError(error);
          this.#later(`retry ${name}`, this.#failures.when(name), () => this.#due.add(name));
        }
      }
      await this.#registerGroups();
    }
  }

  #isDue(): boolean {
    return this.#due.size > 0 || this.#dueGroups.size > 0;
  }

  async #registerGroups(): Promise<void> {
    const groups = [...this.#dueGroups];
    this.#dueGroups.clear();
    for (const group of groups) {
      const definitions = [...(this.#names.get(group) ?? [])].flatMap((name) => this.#definitions.get(name) ?? []);
      try {
        await this.#apiServices.register(group, new Set(definitions.flatMap((one) => this.#servedOf(one))));
        this.#groupFailures.forget(group);
      } catch (error) {
        this.config.reportError(error);
        this.#later(`register ${group}`, this.#groupFailures.when(group), () => this.#dueGroups.add(group));
      }
    }
  }

  /** The versions of a definition that are served, or will be once it is established. */
  #servedOf({ group, plural, kind, served }: KnownDefinition): readonly string[] {
    return served.filter((version) => this.#installer.mayServe({ group, resource: plural, kind }, version));
  }

  async #reconcile(name: string): Promise<void> {
    const known = this.#definitions.get(name);
    if (known === undefined) return;
    const { outline } = known;
    if (known.terminating) return known.holdsObjects ? this.#empty(name, known) : undefined;
    const others = this.#othersOf(known).map(({ accepted }) => accepted);
    const { acceptedNames, condition } = judgeNames(outline, others);
    const accepted = condition.status === "True";
    const next = established(outline, accepted);
    const installing = next.status === "False" && accepted;
    const isHeld = isTrue(outline, "NamesAccepted") && conditionOf(outline, "Established")?.reason === next.reason;
    if (installing && isHeld) return this.#writeStatus(known, { conditions: [ESTABLISHED] });
    const { conditions, removed } = await nonStructural(known);
    return this.#writeStatus(known, {
      conditions: [...conditions, condition, next, ...approval(outline)],
      removed,
      acceptedNames,
    });
  }

  async #writeStatus(known: KnownDefinition, change: StatusChange): Promise<void> {
    const { outline } = known;
    const status = withConditions(outline, change, this.config.clock.now());
    if (deepEqual(status, outline.status)) return;
    await this.config.write({ ...known.read(), status } satisfies FieldsOf<CustomResourceDefinition>);
  }

  /** Deletes the objects of a definition that is being deleted, then lets it go. */
  async #empty(name: string, known: KnownDefinition): Promise<void> {
    const { outline } = known;
    const begun = terminating("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress");
    if (conditionOf(outline, "Terminating")?.reason === "InstanceDeletionPending") {
      return this.#writeStatus(known, { conditions: [begun] });
    }
    const installed = this.#installed.get(name);
    const left = installed === undefined ? 0 : await this.#deleteInstances(known, installed);
    if (left > 0) {
      this.#later(`empty ${name}`, DELETE_AGAIN_MILLISECONDS, () => this.#due.add(name));
      return;
    }
    const done = isTrue(outline, "Established")
      ? terminating("False", "InstanceDeletionCompleted", "removed all instances")
      : terminating("False", "NeverEstablished", "resource was never established");
    const status = withConditions(outline, { conditions: [done] }, this.config.clock.now());
    const finalizers = outline.metadata?.finalizers?.filter((one) => one !== FINALIZER) ?? [];
    const definition = known.read();
    await this.config.write({
      ...definition,
      metadata: { ...definition.metadata, finalizers },
      status,
    } satisfies FieldsOf<CustomResourceDefinition>);
  }

  /** How many objects are left. Before it throws, the definition's condition says why they could not be deleted. */
  async #deleteInstances(known: KnownDefinition, installed: Installed): Promise<number> {
    try {
      return await deleteInstances(this.#installer, installed);
    } catch (error) {
      const message = `could not issue all deletes: ${errorMessage(error)}`;
      await this.#writeStatus(known, { conditions: [terminating("True", "InstanceDeletionFailed", message)] }).catch(
        this.config.reportError,
      );
      throw error;
    }
  }

  /** Calls `makeDue` after that time, unless the same `work` waits already. */
  #later(work: string, milliseconds: number, makeDue: () => void): void {
    if (this.#waiting.has(work)) return;
    this.#waiting.add(work);
    void this.#pause(milliseconds).then(() => {
      this.#waiting.delete(work);
      if (this.#stopping.signal.aborted) return;
      makeDue();
      this.#work();
    });
  }

  /** Brings the registry to what these definitions say. */
  #install(names: readonly string[]): void {
    const made = new Map<ResourceDefinition, string>();
    const gone: Installed[] = [];
    for (const name of names) {
      const definition = this.#definitions.get(name);
      const known = this.#installed.get(name);
      // From the acceptance of its names on, so that a client that sees it established finds it served.
      if (definition === undefined || !(definition.namesAccepted || definition.established)) {
        if (known === undefined) continue;
        gone.push(known);
        this.#installed.delete(name);
        continue;
      }
      const { made: wanted } = definition;
      if (known?.made === wanted) continue;
      try {
        const { release } = this.config.registry.config;
        const resource = new CustomResource(definition, {
          webhooks: this.config.webhooks,
          dialect: ruleDialect(release.version, release.minCompatibility),
          measuring: this.config.measuring,
          isTerminating: () => this.#definitions.get(name)?.terminating === true,
        });
        made.set(resource, name);
        this.#installed.set(name, { group: resource.group, resource: resource.resource, made: wanted });
      } catch (error) {
        this.config.reportError(error);
      }
    }
    if (made.size > 0 || gone.length > 0) {
      this.#installer.replace([...made.keys()], gone, (resource, error) => {
        this.#installed.delete(made.get(resource) ?? "");
        this.config.reportError(error);
      });
    }
    this.#listTerminating(names);
  }

  /** Has discovery list the fewer verbs of the kinds whose definitions are being deleted, in one change. */
  #listTerminating(names: readonly string[]): void {
    const terminating: Installed[] = [];
    for (const name of names) {
      const installed = this.#installed.get(name);
      if (installed === undefined || installed.isListedTerminating === true) continue;
      if (this.#definitions.get(name)?.terminating !== true) continue;
      this.#installed.set(name, { ...installed, isListedTerminating: true });
      terminating.push(installed);
    }
    if (terminating.length > 0) this.#installer.listVerbs(terminating, TERMINATING_VERBS);
  }

  /** Ends early when the server stops. */
  #pause(milliseconds: number): Promise<void> {
    return pause(this.config.timers, milliseconds, this.#stopping.signal);
  }
}

const terminating = (status: "True" | "False", reason: string, message: string): DefinitionCondition => ({
  type: "Terminating",
  status,
  reason,
  message,
});

const nameOf = ({ key }: StoredObject): string => key.slice(key.lastIndexOf("/") + 1);
