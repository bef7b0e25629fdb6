import type { CustomResourceDefinition, CustomResourceDefinitionStatus } from "../../api/types/apiextensions/v1.js";
import { formatTime } from "../../machinery/meta/time.js";

type Applied = Pick<CustomResourceDefinitionStatus, "conditions" | "storedVersions">;

/** What a definition's status says while a migration of its objects runs. */
export function migratingStatus(definition: CustomResourceDefinition, migration: string, now: number): Applied {
  return withCondition(definition, "True", "MigrationRunning", `Migration ${migration} is running`, now);
}

/**
 * What it says when the migration is over. If it has succeeded and the definition has not changed meanwhile, the objects are
 * stored at one version alone.
 */
export function migratedStatus(definition: CustomResourceDefinition, succeeded: boolean, now: number): Applied {
  const { conditions } = definition.status ?? {};
  const migrating = (conditions ?? []).find(({ type }) => type === "StorageMigrating");
  const unchanged =
    migrating?.observedGeneration !== undefined && migrating.observedGeneration === definition.metadata?.generation;
  const stored = definition.spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
  const outcome = unchanged
    ? " and the stored versions have been updated"
    : " but the stored versions have not been updated due to a generation mismatch";
  const applied = succeeded
    ? withCondition(definition, "False", "MigrationSucceeded", `The migration has succeeded${outcome}`, now)
    : withCondition(definition, "False", "MigrationFailed", "The migration has failed", now);
  return { ...applied, ...(succeeded && unchanged && { storedVersions: stored }) };
}

function withCondition(
  { metadata }: CustomResourceDefinition,
  status: "True" | "False",
  reason: string,
  message: string,
  now: number,
): Applied {
  const { generation } = metadata ?? {};
  const condition = { type: "StorageMigrating", status, lastTransitionTime: formatTime(now), reason, message } as const;
  return { conditions: [{ ...condition, ...(generation !== undefined && { observedGeneration: generation }) }] };
}
