import { checkElectionDurations } from "../../client/leaderelection/leader-elector.js";
import type { Flags } from "../../component/flags/flag-set.js";
import type { ElectionSettings } from "./lead.js";

/**
 * Reads the settings of an election from the flags or, where a flag is not given, from `file`. Throws for invalid settings in the
 * words of Kubernetes' programs.
 */
export function electionSettings(
  flags: Flags,
  releases: boolean,
  file: Partial<ElectionSettings> & { readonly lock?: string } = {},
): ElectionSettings {
  const given = <T>(name: string, read: () => T, known: T | undefined): T =>
    known !== undefined && !flags.changed(name) ? known : read();
  const duration = (name: string, known?: number): number => given(name, () => flags.duration(name), known);
  const text = (name: string, known?: string): string => given(name, () => flags.string(name), known);
  const settings: ElectionSettings = {
    enabled: given("leader-elect", () => flags.bool("leader-elect"), file.enabled),
    name: text("leader-elect-resource-name", file.name),
    namespace: text("leader-elect-resource-namespace", file.namespace),
    leaseDuration: duration("leader-elect-lease-duration", file.leaseDuration),
    renewDeadline: duration("leader-elect-renew-deadline", file.renewDeadline),
    retryPeriod: duration("leader-elect-retry-period", file.retryPeriod),
    releases,
  };
  const lock = text("leader-elect-resource-lock", file.lock);
  if (settings.enabled && lock !== "leases") throw new Error(`couldn't create resource lock: ${lockFault(lock)}`);
  return settings;
}

/** Throws client-go's errors for durations that do not fit each other. */
export function checkElection(settings: ElectionSettings): void {
  if (settings.enabled) checkElectionDurations(settings);
}

/** What client-go says of a lock that is no Lease. */
function lockFault(lock: string): string {
  if (lock === "configmapsleases") return `${lock} lock is removed, migrated to leases`;
  if (REMOVED_LOCKS.has(lock)) return `${lock} lock is removed, migrate to leases`;
  return `Invalid lock-type ${lock}`;
}

const REMOVED_LOCKS: ReadonlySet<string> = new Set(["endpoints", "configmaps", "endpointsleases"]);
