import type { StorageVersionMigration } from "../../api/types/storagemigration/v1beta1.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import type { ServedResource } from "../served-resources.js";
import { unlessAbsent } from "../unless-absent.js";
import { unlessChanged } from "../unless-changed.js";
import { whereServed } from "../where-served.js";
import { migratedStatus, migratingStatus } from "./definition-status.js";
import { currentVersion, migrateObjects } from "./migrate-objects.js";
import {
  has,
  isOver,
  isSameResource,
  type MigrationCondition,
  nextOf,
  withCondition,
  withoutRunning,
} from "./migration-status.js";

const NAME = "storage-version-migrator-controller";
const KIND = ["storagemigration.k8s.io/v1beta1", "StorageVersionMigration"] as const;
const DEFINITION = ["apiextensions.k8s.io/v1", "CustomResourceDefinition"] as const;

/** The answers after which a migration is tried again: the server is busy or not there. */
const PASSING = [429, 500, 503, 504];

/** Writes the objects of a resource again, so that all are stored in its current version; one migration of a resource at a time. */
export const storageVersionMigrator = whereServed(
  { group: "storagemigration.k8s.io", version: "v1beta1" },
  ({ client, manager, served, clock, signal }: ControllerContext): void => {
    const migrations = manager.informers.of(...KIND);
    const definitions = client.of(...DEFINITION);

    manager
      .controllerFor(...KIND)
      .named(NAME)
      .workers(5)
      .watches(...KIND, (changed) =>
        migrations.lister
          .list()
          .filter((migration) => isSameResource(migration, changed))
          .map(({ metadata }) => ({ namespace: "", name: metadata?.name ?? "" })),
      )
      .reconcile(async ({ object: migration }) => {
        if (migration !== undefined) await unlessChanged(step(migration));
      });

    async function step(migration: StorageVersionMigration): Promise<void> {
      if (isOver(migration)) return finish(migration);
      if (!has(migration, "Running")) {
        const others = migrations.lister.list().filter((other) => isSameResource(other, migration));
        if (nextOf(others) === migration) await begin(migration);
        return;
      }
      const resource = await resourceOf(migration);
      if (resource === undefined) return fail(migration, "resource does not exist in discovery");
      const { resourceVersion = "" } = migration.status ?? {};
      if (resourceVersion !== "") return run(migration, resource, resourceVersion);
      const current = await currentVersion(client, resource);
      await client
        .of(...KIND)
        .updateStatus({ ...migration, status: { ...migration.status, resourceVersion: current } });
    }

    async function begin(migration: StorageVersionMigration): Promise<void> {
      const definition = await definitionOf(migration);
      if (definition !== undefined) {
        const status = migratingStatus(definition, migration.metadata?.name ?? "", clock.now());
        await applyStatus(definition.metadata?.name ?? "", status);
      }
      await note(migration, "Running", "MigrationRunning", "The migration is running");
    }

    async function run(migration: StorageVersionMigration, resource: ServedResource, start: string): Promise<void> {
      try {
        await migrateObjects(client, resource, start, { fieldManager: NAME, signal });
      } catch (error) {
        if (!isStatusError(error) || PASSING.includes(error.code)) throw error;
        return fail(migration, `migration encountered unhandled error: ${error.message}`);
      }
      await note(migration, "Succeeded", "StorageVersionMigrationSucceeded", "");
    }

    async function finish(migration: StorageVersionMigration): Promise<void> {
      const finished = withoutRunning(migration);
      if (finished === undefined) return;
      const definition = await definitionOf(migration);
      if (definition !== undefined) {
        const status = migratedStatus(definition, has(migration, "Succeeded"), clock.now());
        await applyStatus(definition.metadata?.name ?? "", status);
      }
      await client.of(...KIND).updateStatus(finished);
    }

    const fail = (migration: StorageVersionMigration, message: string): Promise<void> =>
      note(migration, "Failed", "StorageVersionMigrationFailed", message);

    async function note(
      migration: StorageVersionMigration,
      type: MigrationCondition,
      reason: string,
      message: string,
    ): Promise<void> {
      await client.of(...KIND).updateStatus(withCondition(migration, type, { reason, message, now: clock.now() }));
    }

    async function resourceOf({ spec }: StorageVersionMigration): Promise<ServedResource | undefined> {
      const { group = "", resource = "" } = spec?.resource ?? {};
      const { resources } = await served.all();
      return resources.find((one) => one.group === group && one.resource === resource && one.preferred);
    }

    async function definitionOf({ spec }: StorageVersionMigration) {
      const { group = "", resource = "" } = spec?.resource ?? {};
      return group === "" ? undefined : unlessAbsent(definitions.get(`${resource}.${group}`));
    }

    async function applyStatus(name: string, status: object): Promise<void> {
      const patch = { apiVersion: DEFINITION[0], kind: DEFINITION[1], metadata: { name }, status };
      await definitions.patchStatus(name, patch, {
        type: "apply",
        fieldManager: "migration-runner-controller",
        force: true,
      });
    }
  },
);
