import type { FieldsOf } from "../../machinery/meta/received.js";
import type { CustomResourceDefinition } from "../../api/types/apiextensions/v1.js";
import type { StorageVersionMigration } from "../../api/types/storagemigration/v1.js";
import type { Clock } from "../../base/time/clock.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import type { Stored } from "../../client/dynamic/stored.js";
import type { Lister } from "../../client/informers/index.js";
import { isStatusError, isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ApiObject, ObjectMeta } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import { type ServedResource, whereServed } from "../served-resources.js";
import { unlessAbsent, unlessChanged } from "../writes.js";
import {
  migratedStatus,
  migratingStatus,
  has,
  type MigrationOfDefinition,
  isOver,
  isSameResource,
  type MigrationCondition,
  nextOf,
  progressText,
  withCondition,
  withEndedRunning,
  withOthers,
  withoutRunning,
  withProgress,
  isOlder,
} from "./migration-status.js";

const NAME = "storage-version-migrator-controller";
const DEFINITION = ["apiextensions.k8s.io/v1", "CustomResourceDefinition"] as const;

/** A migration shows its progress each time that it has written so many objects. */
const PROGRESS_STEP = 500;

/** The answers after which a migration is tried again: the server is busy or not there. */
const PASSING = [429, 500, 503, 504];

/** Writes the objects of a resource again, so that all are stored in its current version; one migration of a resource at a time. */
export const storageVersionMigrator = whereServed(
  // Kubernetes 1.36 has v1beta1 alone (K37-143).
  ["storagemigration.k8s.io/v1", "storagemigration.k8s.io/v1beta1"],
  (context: ControllerContext, groupVersion): void => {
    // Both have one shape.
    const kind = [groupVersion as "storagemigration.k8s.io/v1", "StorageVersionMigration"] as const;
    const migrations = context.manager.informers.of(...kind);
    const own = context.client.of(...kind);
    const migrator = new StorageVersionMigrator(context, migrations.lister, own);

    context.manager
      .controllerFor(...kind)
      .named(NAME)
      .workers(5)
      .watches(...kind, (changed) =>
        migrations.lister
          .list()
          .filter((migration) => isSameResource(migration, changed))
          .map(({ metadata }) => ({ namespace: "", name: metadata?.name ?? "" })),
      )
      .reconcile(async ({ object: migration }) => {
        if (migration !== undefined) await unlessChanged(migrator.step(migration));
      });
  },
);

class StorageVersionMigrator {
  readonly #client: KubernetesClient;
  readonly #clock: Clock;
  readonly #served: ControllerContext["served"];
  readonly #signal: AbortSignal;
  /** Whether it writes by merge patches and shows how far it is; before Kubernetes 1.37 it applies. */
  readonly #merges: boolean;

  constructor(
    { client, clock, served, signal, release }: ControllerContext,
    private readonly migrations: Lister<Stored<StorageVersionMigration>>,
    private readonly own: ResourceClient<StorageVersionMigration>,
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#served = served;
    this.#signal = signal;
    // K37-143
    this.#merges = release.atLeast("1.37");
  }

  get #definitions() {
    return this.#client.of(...DEFINITION);
  }

  /** Takes the next step of a migration. */
  async step(migration: StorageVersionMigration): Promise<void> {
    if (isOver(migration)) return this.#finish(migration);
    if (!has(migration, "Running")) {
      const others = this.migrations.list().filter((other) => isSameResource(other, migration));
      if (nextOf(others) === migration) await this.#begin(migration);
      return;
    }
    const resource = await this.#resourceOf(migration);
    if (resource === undefined) return this.#fail(migration, "resource does not exist in discovery");
    const { resourceVersion = "" } = migration.status ?? {};
    if (resourceVersion !== "") return this.#run(migration, resource, resourceVersion);
    const current = await currentVersion(this.#client, resource);
    await this.own.updateStatus({ ...migration, status: { ...migration.status, resourceVersion: current } });
  }

  async #begin(migration: StorageVersionMigration): Promise<void> {
    const definition = await this.#definitionOf(migration);
    if (definition !== undefined) {
      const status = migratingStatus(definition, migration.metadata?.name ?? "", this.#clock.now());
      await this.#writeStatus(definition, status);
    }
    await this.#note(migration, "Running", "MigrationRunning", "The migration is running");
  }

  async #run(migration: StorageVersionMigration, resource: ServedResource, start: string): Promise<void> {
    let running = migration;
    const onProgress = async (left: number, total: number): Promise<void> => {
      running = withProgress(running, progressText(left, total));
      // The last step is written with the end of the migration.
      if (left > 0) running = await this.own.updateStatus(running);
    };
    try {
      const write = { signal: this.#signal, merges: this.#merges, ...(this.#merges && { onProgress }) };
      await migrateObjects(this.#client, resource, start, write);
    } catch (error) {
      if (!isStatusError(error) || PASSING.includes(error.code)) throw error;
      return this.#fail(running, `migration encountered unhandled error: ${error.message}`);
    }
    await this.#note(running, "Succeeded", "StorageVersionMigrationSucceeded", "");
  }

  async #finish(migration: StorageVersionMigration): Promise<void> {
    const finished = this.#merges ? withEndedRunning(migration) : withoutRunning(migration);
    if (finished === undefined) return;
    const definition = await this.#definitionOf(migration);
    if (definition !== undefined) {
      const status = migratedStatus(definition, has(migration, "Succeeded"), this.#clock.now());
      await this.#writeStatus(definition, status);
    }
    await this.own.updateStatus(finished);
  }

  #fail(migration: StorageVersionMigration, message: string): Promise<void> {
    return this.#note(migration, "Failed", "StorageVersionMigrationFailed", message);
  }

  async #note(
    migration: StorageVersionMigration,
    type: MigrationCondition,
    reason: string,
    message: string,
  ): Promise<void> {
    await this.own.updateStatus(withCondition(migration, type, { reason, message, now: this.#clock.now() }));
  }

  async #resourceOf({ spec }: StorageVersionMigration): Promise<ServedResource | undefined> {
    const { group = "", resource = "" } = spec?.resource ?? {};
    const { resources } = await this.#served.all();
    return resources.find((one) => one.group === group && one.resource === resource && one.preferred);
  }

  async #definitionOf({ spec }: StorageVersionMigration) {
    const { group = "", resource = "" } = spec?.resource ?? {};
    return group === "" ? undefined : unlessAbsent(this.#definitions.get(`${resource}.${group}`));
  }

  async #writeStatus(definition: CustomResourceDefinition, status: MigrationOfDefinition): Promise<void> {
    const { name = "", resourceVersion } = definition.metadata ?? {};
    if (this.#merges) {
      const patch = {
        metadata: { resourceVersion },
        status: withOthers(definition, status),
      } satisfies FieldsOf<StorageVersionMigration>;
      await this.#definitions.patchStatus(name, patch, { type: "merge" });
      return;
    }
    const patch = {
      apiVersion: DEFINITION[0],
      kind: DEFINITION[1],
      metadata: { name },
      status,
    } satisfies FieldsOf<StorageVersionMigration>;
    await this.#definitions.patchStatus(name, patch, {
      type: "apply",
      fieldManager: "migration-runner-controller",
      force: true,
    });
  }
}

/** A namespace that no cluster has: the list of its objects has the store's revision and nothing else. */
const EMPTY_NAMESPACE = "@fake:svm_ns!";

/** The resource version as of now, from which on objects are stored in the current version. */
async function currentVersion(client: KubernetesClient, resource: ServedResource): Promise<string> {
  const objects = client.resource(resource).metadata();
  const listed = resource.namespaced ? objects.namespace(EMPTY_NAMESPACE) : objects;
  return (await listed.list({ limit: 1 })).metadata?.resourceVersion ?? "";
}

interface ObjectWrites {
  readonly signal: AbortSignal;
  readonly merges: boolean;
  /** Called with the number of objects that are left after each {@link PROGRESS_STEP} of them, and after the last. */
  readonly onProgress?: (left: number, total: number) => Promise<void>;
}

/**
 * Has the server write again each object that was last written before `start`, by a patch of nothing. One that changes
 * meanwhile is written in the current version by that change.
 */
async function migrateObjects(
  client: KubernetesClient,
  resource: ServedResource,
  start: string,
  { signal, merges, onProgress }: ObjectWrites,
): Promise<void> {
  const objects = client.resource(resource);
  const { apiVersion, kind } = resource;
  const older: ObjectMeta[] = [];
  let total = 0;
  const write = async ({ namespace = "", name = "", uid, resourceVersion }: ObjectMeta): Promise<void> => {
    const own = resource.namespaced ? objects.namespace(namespace) : objects;
    const metadata = { uid, resourceVersion } satisfies FieldsOf<ObjectMeta>;
    try {
      if (merges)
        await own.patch(name, { metadata } satisfies FieldsOf<ApiObject>, {
          type: "merge",
          fieldManager: NAME,
          signal,
        });
      else
        await own.patch(name, { apiVersion, kind, metadata } satisfies FieldsOf<ApiObject>, {
          type: "apply",
          fieldManager: NAME,
          signal,
        });
    } catch (error) {
      if (!isConflict(error) && !(merges && isNotFound(error))) throw error;
    }
  };
  for await (const { metadata } of objects.metadata().listAll({ signal })) {
    total++;
    if (metadata === undefined || !isOlder(metadata.resourceVersion, start)) continue;
    // The progress is known only when all are listed.
    if (onProgress === undefined) await write(metadata);
    else older.push(metadata);
  }
  for (const [index, metadata] of older.entries()) {
    if (index > 0 && index % PROGRESS_STEP === 0) await onProgress?.(older.length - index, total);
    await write(metadata);
  }
  await onProgress?.(0, total);
}
