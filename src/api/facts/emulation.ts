import { createHash } from "node:crypto";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import { minorOf } from "../../machinery/served-versions.js";
import type { ResourceEntry } from "./data.js";
import { isServed, Release } from "./release.js";
import type { RuntimeConfig } from "./resources.js";
import { storedVersionOf } from "./stored-version.js";

/** How a server of one version behaves as an older one (KEP-4330). */
export interface Emulation extends Pick<Release, "emulated" | "minCompatibility"> {
  /** Whether a resource that is served in a beta or stable version is served in its later versions, too. Default: false. */
  readonly forwardCompatible?: boolean;
  /** Whether a version that the emulated version has not is served where the runtime configuration names it. Default: false. */
  readonly runtimeConfigForwardCompatible?: boolean;
}

/**
 * Makes a release that emulates an older one: it has its own types and texts, and the other's API life cycles, feature gates and
 * storage versions. Throws kube-apiserver's error for a runtime configuration that names a later version.
 */
export function emulate(release: Release, emulation: Emulation, runtimeConfig: RuntimeConfig = {}): Release {
  const { version, facts, unpublished } = release;
  const later = introducedLater(facts.resources, emulation, runtimeConfig);
  refuseLater(facts.resources, later, emulation, runtimeConfig);
  const resources = facts.resources.filter((entry) => !later.has(entry));
  const rest = { version, ...(unpublished && { unpublished }), emulation };
  const emulated = new Release({ ...rest, facts: { ...facts, resources } });
  const stored = resources.map((entry) => storedAnew(entry, emulated));
  return new Release({ ...rest, facts: { ...facts, resources: stored } });
}

/** The resources that came after the emulated version, and are not served all the same. */
function introducedLater(
  resources: readonly ResourceEntry[],
  { emulated, forwardCompatible = false, runtimeConfigForwardCompatible = false }: Emulation,
  runtimeConfig: RuntimeConfig,
): ReadonlySet<ResourceEntry> {
  const isLater = ({ introduced = "1.0" }: ResourceEntry): boolean => minorOf(introduced) > minorOf(emulated);
  const isOn = ({ groupVersion }: ResourceEntry): boolean => isServed(parseGroupVersion(groupVersion), runtimeConfig);
  const isAlpha = ({ groupVersion }: ResourceEntry): boolean => groupVersion.includes("alpha");
  const groupOf = ({ groupVersion }: ResourceEntry): string => parseGroupVersion(groupVersion).group;
  const hasEarlier = (entry: ResourceEntry): boolean =>
    resources.some(
      (one) =>
        one.name === entry.name && groupOf(one) === groupOf(entry) && !isLater(one) && !isAlpha(one) && isOn(one),
    );
  return new Set(
    resources.filter(
      (entry) =>
        isLater(entry) &&
        !(forwardCompatible && !isAlpha(entry) && hasEarlier(entry)) &&
        !(runtimeConfigForwardCompatible && runtimeConfig[entry.groupVersion] === true),
    ),
  );
}

function refuseLater(
  resources: readonly ResourceEntry[],
  later: ReadonlySet<ResourceEntry>,
  { emulated }: Emulation,
  runtimeConfig: RuntimeConfig,
): void {
  for (const [groupVersion, isOn] of Object.entries(runtimeConfig)) {
    const named = resources.filter((entry) => entry.groupVersion === groupVersion);
    if (!isOn || named.length === 0 || named.some((entry) => !later.has(entry))) continue;
    throw new Error(
      `cannot enable version ${groupVersion} in runtime-config because all the resources have been introduced after the current version ${emulated}. Consider setting --runtime-config-emulation-forward-compatible=true`,
    );
  }
}

/** With the hash of the version that the emulating release stores. Events are stored as those of the core group in any case. */
function storedAnew(entry: ResourceEntry, emulated: Release): ResourceEntry {
  const { group } = parseGroupVersion(entry.groupVersion);
  if (entry.storageVersionHash === undefined || group === "events.k8s.io") return entry;
  const stored = `${group}/${storedVersionOf(emulated, { group, name: entry.name })}/${entry.kind}`;
  const storageVersionHash = createHash("sha256").update(stored).digest().subarray(0, 8).toString("base64");
  return { ...entry, storageVersionHash };
}
