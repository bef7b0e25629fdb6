import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Condition } from "../../api/types/meta/v1.js";
import type { StorageVersionMigration } from "../../api/types/storagemigration/v1.js";
import { formatTime } from "../../machinery/meta/time.js";
import type { CustomResourceDefinition, CustomResourceDefinitionStatus } from "../../api/types/apiextensions/v1.js";

/** The types of a migration's conditions. */
export type MigrationCondition = "Running" | "Succeeded" | "Failed";

export function has({ status }: StorageVersionMigration, condition: MigrationCondition): boolean {
  return (status?.conditions ?? []).some(({ type, status: value }) => type === condition && value === "True");
}

export const isOver = (migration: StorageVersionMigration): boolean =>
  has(migration, "Succeeded") || has(migration, "Failed");

/** Whether two migrations are for the same resource, of which only one runs at a time. */
export function isSameResource(
  { spec: one }: StorageVersionMigration,
  { spec: other }: StorageVersionMigration,
): boolean {
  return (
    (one?.resource.group ?? "") === (other?.resource.group ?? "") && one?.resource.resource === other?.resource.resource
  );
}

/** The migration of a resource that may start: the oldest, while none of them runs. */
export function nextOf(migrations: readonly StorageVersionMigration[]): StorageVersionMigration | undefined {
  const open = migrations.filter((migration) => !isOver(migration));
  if (open.some((migration) => has(migration, "Running"))) return undefined;
  const age = ({ metadata }: StorageVersionMigration): string => `${metadata?.creationTimestamp} ${metadata?.name}`;
  return open.toSorted((one, other) => (age(one) < age(other) ? -1 : 1))[0];
}

/** Returns the migration with a condition that is true from `now` on. A finished migration is no longer running. */
export function withCondition(
  migration: StorageVersionMigration,
  type: MigrationCondition,
  { reason, message, now }: { readonly reason: string; readonly message: string; readonly now: number },
): StorageVersionMigration {
  if (has(migration, type)) return migration;
  const earlier = (migration.status?.conditions ?? []).map((condition) =>
    type !== "Running" && condition.type === "Running"
      ? ({ ...condition, status: "False" as const } satisfies FieldsOf<StorageVersionMigration>)
      : condition,
  );
  const added = { type, status: "True" as const, lastTransitionTime: formatTime(now), reason, message };
  return { ...migration, status: { ...migration.status, conditions: [...earlier, added] } };
}

/** Returns a finished migration without its condition Running; undefined when it has none. */
export function withoutRunning(migration: StorageVersionMigration): StorageVersionMigration | undefined {
  const conditions = migration.status?.conditions ?? [];
  const left = conditions.filter(({ type }) => type !== "Running");
  return left.length === conditions.length
    ? undefined
    : { ...migration, status: { ...migration.status, conditions: left } };
}

/** The message of the condition Running for a migration that still has to write `left` of `total` objects (K37-143). The text is our own. */
export const progressText = (left: number, total: number): string =>
  `The migration is running: ${total - left} of ${total} objects have been migrated`;

/** Returns the migration with a new message of its condition Running. */
export const withProgress = (migration: StorageVersionMigration, message: string): StorageVersionMigration =>
  withRunning(migration, { message });

/**
 * Returns a finished migration whose condition Running has the reason of its end, MigrationCompleted or MigrationFailed (K37-143);
 * undefined without that condition, and where it has the reason already.
 */
export function withEndedRunning(migration: StorageVersionMigration): StorageVersionMigration | undefined {
  const reason = has(migration, "Failed") ? "MigrationFailed" : "MigrationCompleted";
  const running = migration.status?.conditions?.find(({ type }) => type === "Running");
  return running === undefined || running.reason === reason ? undefined : withRunning(migration, { reason });
}

function withRunning(
  migration: StorageVersionMigration,
  change: { readonly reason?: string; readonly message?: string },
): StorageVersionMigration {
  const conditions = (migration.status?.conditions ?? []).map((condition) =>
    condition.type === "Running" ? { ...condition, ...change } : condition,
  );
  return { ...migration, status: { ...migration.status, conditions } };
}

/** Whether an object was last written before or at the resource version at which a migration began. */
export function isOlder(resourceVersion: string | undefined, start: string): boolean {
  return BigInt(resourceVersion || 0) <= BigInt(start);
}

/** The part of a CustomResourceDefinition's status that a migration writes. */
export type MigrationOfDefinition = Pick<CustomResourceDefinitionStatus, "conditions" | "storedVersions">;

/** Makes the merge patch of a definition's status, which keeps the conditions that are not about migration. */
export function withOthers({ status }: CustomResourceDefinition, own: MigrationOfDefinition): MigrationOfDefinition {
  const types = new Set((own.conditions ?? []).map(({ type }) => type));
  const others = (status?.conditions ?? []).filter(({ type }) => !types.has(type));
  return { ...own, conditions: [...others, ...(own.conditions ?? [])] };
}

/** The status of a definition while a migration of its objects runs. */
export function migratingStatus(
  definition: CustomResourceDefinition,
  migration: string,
  now: number,
): MigrationOfDefinition {
  return withMigrating(definition, "True", "MigrationRunning", `Migration ${migration} is running`, now);
}

/**
 * The status of a definition after a migration. If it has succeeded and the definition has not changed in the meantime, the
 * objects are stored at one version only.
 */
export function migratedStatus(
  definition: CustomResourceDefinition,
  succeeded: boolean,
  now: number,
): MigrationOfDefinition {
  const { conditions } = definition.status ?? {};
  const migrating = (conditions ?? []).find(({ type }) => type === "StorageMigrating");
  const unchanged =
    migrating?.observedGeneration !== undefined && migrating.observedGeneration === definition.metadata?.generation;
  const stored = definition.spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
  const outcome = unchanged
    ? " and the stored versions have been updated"
    : " but the stored versions have not been updated due to a generation mismatch";
  const applied = succeeded
    ? withMigrating(definition, "False", "MigrationSucceeded", `The migration has succeeded${outcome}`, now)
    : withMigrating(definition, "False", "MigrationFailed", "The migration has failed", now);
  return { ...applied, ...(succeeded && unchanged && { storedVersions: stored }) };
}

function withMigrating(
  { metadata }: CustomResourceDefinition,
  status: "True" | "False",
  reason: string,
  message: string,
  now: number,
): MigrationOfDefinition {
  const { generation } = metadata ?? {};
  const condition = {
    type: "StorageMigrating",
    status,
    lastTransitionTime: formatTime(now),
    reason,
    message,
  } as const satisfies FieldsOf<Condition>;
  return {
    conditions: [
      {
        ...condition,
        ...(generation !== undefined && ({ observedGeneration: generation } satisfies FieldsOf<Condition>)),
      },
    ],
  };
}
