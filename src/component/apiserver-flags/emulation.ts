import {
  DEFAULT_VERSION,
  minorOf,
  SERVED_VERSIONS,
  servedVersionOf,
  versionBefore,
} from "../../machinery/served-versions.js";
import type { OptionGroup, OptionsOf } from "../option-group.js";
import type { versionOptions } from "./own.js";

/** The options for the older version that the server emulates (KEP-4330), and for the versions that can still read its storage. */
export const emulationOptions = {
  emulation: {
    /** "1.36" or "kube=1.36", from 1.36 to the version of the server. Default: the version of the server. */
    version: {
      name: "emulated-version",
      type: "stringSlice",
      usage:
        "The version to behave like: 1.36, or kube=1.36. Types, texts and columns stay those of the server's own version.",
      read: (entries: readonly string[]): string => entries.join(","),
    },
    /**
     * The oldest version of a server that may have to read what this one stores, "1.36" or "kube=1.36", at most the emulated version. Newer versions of
     * kinds are not stored, and newer functions of CEL are not known in new expressions. Default: the version before the emulated one.
     */
    minCompatibility: {
      name: "min-compatibility-version",
      type: "stringSlice",
      usage: "The oldest version of the control plane's other servers: 1.36, or kube=1.36.",
      read: (entries: readonly string[]): string => entries.join(","),
    },
    /** Whether a resource that is served in a beta or stable version is served in its later versions, too. Only with {@link version}. Default: false. */
    forwardCompatible: {
      name: "emulation-forward-compatible",
      type: "bool",
      usage: "Serve later versions of APIs than the emulated version has. Only for an emulated version.",
    },
    /** Whether a version that the emulated one has not is served where the runtime configuration names it. Only with {@link version}. Default: false. */
    runtimeConfigForwardCompatible: {
      name: "runtime-config-emulation-forward-compatible",
      type: "bool",
      usage:
        "Serve versions that --runtime-config names and the emulated version has not. Only for an emulated version.",
    },
  },
} as const satisfies OptionGroup;

/** The options for the version that a server is or emulates. */
export type VersionOptions = OptionsOf<typeof versionOptions> & OptionsOf<typeof emulationOptions>;

/** How a server of one version emulates another one. */
export interface EmulationChoice {
  /** "1.36" */
  readonly emulated: string;
  readonly minCompatibility: string;
  readonly forwardCompatible?: boolean;
  readonly runtimeConfigForwardCompatible?: boolean;
}

/** The oldest version that another server of the control plane may be, as kube-apiserver has it. */
const OLDEST_COMPATIBLE = "1.31";

/** Reads how a server emulates another version from the options; undefined where it emulates none. */
export function emulationOf({ emulation = {}, kubernetesVersion }: VersionOptions): EmulationChoice | undefined {
  const { version, minCompatibility, ...forward } = emulation;
  if (!isGiven(version) && !isGiven(minCompatibility)) return undefined;
  const emulated = isGiven(version) ? readVersion(version) : binaryVersion(kubernetesVersion);
  const oldest = isGiven(minCompatibility) ? readVersion(minCompatibility) : versionBefore(emulated);
  return { emulated, minCompatibility: oldest, ...forward };
}

/** Returns everything that cannot be right in the options, in the words of Kubernetes' component-base. {@link versionOptions} reports a version that is not served. */
export function emulationFaults(values: VersionOptions): readonly string[] {
  const { emulation = {}, kubernetesVersion } = values;
  const faults = [...entryFaults(emulation.version), ...entryFaults(emulation.minCompatibility)];
  if (faults.length > 0) return faults;
  let binary: string;
  try {
    binary = binaryVersion(kubernetesVersion);
  } catch {
    // The option of the version says what is wrong with it.
    return [];
  }
  const { emulated, minCompatibility } = emulationOf(values) ?? {
    emulated: binary,
    minCompatibility: versionBefore(binary),
  };
  const [floor = binary] = SERVED_VERSIONS.toReversed();
  return [
    ...(isBetween(floor, emulated, binary)
      ? []
      : [`emulation version ${emulated} is not between [${floor}, ${binary}]`]),
    ...(isBetween(OLDEST_COMPATIBLE, minCompatibility, emulated)
      ? []
      : [`minCompatibilityVersion version ${minCompatibility} is not between [${OLDEST_COMPATIBLE}, ${emulated}]`]),
    ...forwardFaults(emulation, emulated === binary),
  ];
}

function forwardFaults(emulation: NonNullable<VersionOptions["emulation"]>, isOwn: boolean): readonly string[] {
  if (!isOwn) return [];
  const fields = {
    EmulationForwardCompatible: emulation.forwardCompatible,
    RuntimeConfigEmulationForwardCompatible: emulation.runtimeConfigForwardCompatible,
  };
  return Object.entries(fields).flatMap(([field, isOn]) =>
    isOn === true
      ? [`ServerRunOptions.${field} cannot be set to true if the emulation version is the same as the binary version`]
      : [],
  );
}

/** Faults of "1.36", "kube=1.36" and several of them with commas between. */
function entryFaults(text = ""): readonly string[] {
  const seen = new Map<string, string>();
  for (const entry of entriesOf(text)) {
    const { component, version } = entry;
    if (!/^v?\d+\.\d+(?:\.\d+)?$/.test(version)) return [`could not parse ${JSON.stringify(version)} as version`];
    const plain = version.replace(/^v/, "");
    if (/\.\d+\.(?!0+$)/.test(plain)) return [`patch version not allowed, got: ${component}=${plain}`];
    const before = seen.get(component);
    if (before !== undefined) {
      return [`duplicate version flag, ${component}=${before} and ${component}=${plain}`];
    }
    seen.set(component, plain);
  }
  const [unknown] = [...seen.keys()].filter((component) => component !== "kube");
  return unknown === undefined ? [] : [`component not registered: ${unknown}`];
}

const entriesOf = (text: string): readonly { readonly component: string; readonly version: string }[] =>
  text
    .split(",")
    .filter((entry) => entry !== "")
    .map((entry) => {
      const equals = entry.indexOf("=");
      return equals < 0
        ? { component: "kube", version: entry.trim() }
        : { component: entry.slice(0, equals).trim(), version: entry.slice(equals + 1).trim() };
    });

/** "1.36" of "kube=v1.36". */
function readVersion(text: string): string {
  const version = entriesOf(text)[0]?.version ?? "";
  return version.replace(/^v/, "").split(".").slice(0, 2).join(".");
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== "";

const binaryVersion = (text: string | undefined): string => (isGiven(text) ? servedVersionOf(text) : DEFAULT_VERSION);

const isBetween = (low: string, version: string, high: string): boolean =>
  version.startsWith("1.") && minorOf(low) <= minorOf(version) && minorOf(version) <= minorOf(high);
