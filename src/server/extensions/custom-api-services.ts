import type { FieldsOf } from "../../machinery/meta/received.js";
import type { APIServiceSpec, APIService } from "../../api/types/apiregistration/v1.js";
import { isDeepStrictEqual } from "node:util";
import { isAlreadyExists, isNotFound } from "../../machinery/errors/status-error.js";
import { object, text } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ApiRegistry } from "../api-registry/api-registry.js";
import type { ResourceInstaller } from "../api-registry/resource-definition.js";

const GROUP = "apiregistration.k8s.io";
const AUTOMANAGED = "kube-aggregator.kubernetes.io/automanaged";
/** kube-apiserver's for every custom kind: behind the built-in groups, versions in the order of their names. */
const PRIORITIES = { groupPriorityMinimum: 1000, versionPriority: 100 } satisfies FieldsOf<APIServiceSpec>;

const specOf = (group: string, version: string): JsonObject =>
  ({ group, version, ...PRIORITIES }) satisfies FieldsOf<APIServiceSpec>;

/**
 * The APIServices of the groups of CustomResourceDefinitions: one for each version that a definition of the group serves. Source:
 * kube-apiserver's crd-autoregister controller.
 */
export class CustomApiServices {
  /** The versions of each group that have one. */
  readonly #registered = new Map<string, Set<string>>();

  /** `installer` has installed the custom resources. */
  constructor(
    private readonly registry: ApiRegistry,
    private readonly installer: ResourceInstaller,
    /** Writes an APIService as the server itself. Throws NotFound and Conflict. */
    private readonly replace: (apiService: KubeObject) => Promise<unknown>,
  ) {}

  /** Takes over what an earlier run of the server has left. */
  async start(): Promise<void> {
    if (!this.#isServed()) return;
    for (const { apiVersion, metadata, spec } of await this.registry.access.list(GROUP, "apiservices")) {
      if (apiVersion !== `${GROUP}/v1` || metadata?.labels?.[AUTOMANAGED] !== "true") continue;
      const { group, version }: FieldsOf<APIServiceSpec> = object(spec);
      this.#versionsOf(text(group)).add(text(version));
    }
  }

  /** The groups that have some. */
  groups(): IterableIterator<string> {
    return this.#registered.keys();
  }

  /**
   * Leaves the group with the APIServices of these versions. Those that a user has made stay as they are, and so do those of versions
   * in which built-in resources are served.
   */
  async register(group: string, versions: ReadonlySet<string>): Promise<void> {
    if (!this.#isServed()) return;
    const registered = this.#versionsOf(group);
    for (const version of versions) {
      if (registered.has(version) || !this.installer.mayRegister({ group, version })) continue;
      registered.add(version);
      await this.#create(group, version);
    }
    for (const version of registered) {
      if (versions.has(version)) continue;
      registered.delete(version);
      if (!this.installer.mayRegister({ group, version })) continue;
      await this.#delete(`${version}.${group}`);
    }
    if (registered.size === 0) this.#registered.delete(group);
  }

  /**
   * Gives back to the APIServices of a group what they must have, after one of them was changed or deleted. Who takes off the label of one
   * keeps it as it is.
   */
  async restore(group: string): Promise<void> {
    for (const version of this.#registered.get(group) ?? []) {
      if (!this.installer.mayRegister({ group, version })) continue;
      const found = await this.registry.access.get(GROUP, "apiservices", "", `${version}.${group}`);
      if (found === undefined) await this.#create(group, version);
      else if (
        found.metadata?.labels?.[AUTOMANAGED] === "true" &&
        !isDeepStrictEqual(found["spec"], specOf(group, version))
      )
        await this.replace({ ...found, spec: specOf(group, version) } satisfies FieldsOf<APIService>);
    }
  }

  async #create(group: string, version: string): Promise<void> {
    const made: KubeObject = {
      apiVersion: `${GROUP}/v1`,
      kind: "APIService",
      metadata: { name: `${version}.${group}`, labels: { [AUTOMANAGED]: "true" } },
      spec: specOf(group, version),
    } satisfies FieldsOf<APIService>;
    try {
      await this.registry.access.create(GROUP, "apiservices", made);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #delete(name: string): Promise<void> {
    const found = await this.registry.access.get(GROUP, "apiservices", "", name);
    if (found?.metadata?.labels?.[AUTOMANAGED] !== "true") return;
    try {
      await this.registry.access.delete(GROUP, "apiservices", found);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** False where runtimeConfig turns the group off. */
  #isServed(): boolean {
    return this.registry.current.find(`${GROUP}/v1`, "apiservices") !== undefined;
  }

  #versionsOf(group: string): Set<string> {
    const known = this.#registered.get(group) ?? new Set();
    this.#registered.set(group, known);
    return known;
  }
}
