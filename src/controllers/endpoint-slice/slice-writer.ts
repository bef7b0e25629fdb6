import type { EndpointSlice } from "../../api/types/discovery/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Lister } from "../../client/informers/index.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { compareResourceVersions } from "../../machinery/meta/resource-version.js";
import { isNamespaceTerminating } from "../owned-pods/pod-control.js";
import type { SliceChanges } from "./slice-contents.js";

/** Writes slices, and remembers the writes that the informer's cache does not show yet: the controller must not act on the cache before. */
export class SliceWriter {
  /** By service, the slices that were written, by name: their resourceVersion, or undefined when they were deleted. */
  readonly #written = new Map<string, Map<string, string | undefined>>();

  constructor(
    private readonly client: KubernetesClient,
    private readonly slices: Lister<EndpointSlice>,
  ) {}

  /** Whether the cache has yet to show a write for the service of this key. */
  isStale(key: string, namespace: string): boolean {
    const written = this.#written.get(key);
    if (written === undefined) return false;
    for (const [name, version] of written) if (this.#shows(namespace, name, version)) written.delete(name);
    return written.size > 0;
  }

  /** Another has deleted the slice. */
  gone(key: string, { metadata }: EndpointSlice): void {
    this.#written.get(key)?.delete(metadata?.name ?? "");
  }

  forget(key: string): void {
    this.#written.delete(key);
  }

  /** Creates no slices when `create` is false: their owner is being deleted. */
  async write(key: string, namespace: string, changes: SliceChanges, create: boolean): Promise<void> {
    const slices = this.client.of("discovery.k8s.io/v1", "EndpointSlice").namespace(namespace);
    const written = this.#written.get(key) ?? new Map<string, string | undefined>();
    this.#written.set(key, written);
    const note = ({ metadata }: EndpointSlice): void =>
      void written.set(metadata?.name ?? "", metadata?.resourceVersion ?? "");
    for (const slice of create ? changes.create : []) {
      try {
        note(await slices.create(slice));
      } catch (error) {
        if (isNamespaceTerminating(error)) return;
        throw error;
      }
    }
    for (const slice of changes.update) note(await slices.update(slice));
    for (const { metadata } of changes.remove) {
      const name = metadata?.name ?? "";
      try {
        await slices.delete(name);
        written.set(name, undefined);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  #shows(namespace: string, name: string, version: string | undefined): boolean {
    const shown = this.slices.namespace(namespace).get(name)?.metadata;
    if (version === undefined) return shown === undefined || shown.deletionTimestamp !== undefined;
    return shown !== undefined && (compareResourceVersions(shown.resourceVersion ?? "", version) ?? 0) >= 0;
  }
}
