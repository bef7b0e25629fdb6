import { DEFAULT_VERSION } from "../machinery/served-versions.js";
import type { FlagSpec, FlagType } from "./flags/flag-set.js";

/**
 * A flag of a component. Flags of Kubernetes' component that kubets does not implement are declared as well, so that command lines
 * written for it work: each of them states what becomes of its value.
 */
export type ComponentFlag = FlagSpec & ComponentFlagParts;

interface ComponentFlagParts {
  /** The type as pflag's help prints it, where it is not that of {@link FlagSpec.type}: "ip", "mapStringBool". */
  readonly typeName?: string;
  /** Why a value has no effect. Where the flag is given, the component warns with it at each start. */
  readonly withoutEffect?: string;
  /** Why any value but the default and {@link alsoAccepted} is refused. */
  readonly refused?: string;
  /** Values that say what the component does anyway. */
  readonly alsoAccepted?: readonly string[];
  /** Kubernetes has dropped the flag: what to use in its place. The flag is accepted with a warning and has no effect. */
  readonly dropped?: string;
  /** The first and the last minor version of Kubernetes ("1.37") that have the flag like this. Left out: all that are served. */
  readonly since?: string;
  readonly until?: string;
  /** The last minor version that warns of the flag's {@link FlagSpec.deprecated}. Left out: all do. */
  readonly deprecatedUntil?: string;
  /** Returns the value as the log may have it. */
  readonly logged?: (text: string) => string;
  /** Returns what is wrong with the text of a value in the component's words; undefined for a good one. */
  readonly check?: (text: string) => string | undefined;
}

/** Flags of one subject, in the order of Kubernetes' `--help`. */
export interface FlagSection {
  /** "secure serving", as Kubernetes names the section; help shows it as "Secure serving flags:". */
  readonly name: string;
  readonly flags: readonly ComponentFlag[];
}

/**
 * Returns the sections with the flags of one version of Kubernetes ("1.37"), without sections that have none. Default: the version
 * that a program is by default.
 */
export const flagsOfVersion = (sections: readonly FlagSection[], version = DEFAULT_VERSION): readonly FlagSection[] =>
  sections
    .map((section) => ({ ...section, flags: section.flags.flatMap((flag) => flagOfVersion(flag, version)) }))
    .filter(({ flags }) => flags.length > 0);

function flagOfVersion(flag: ComponentFlag, version: string): readonly ComponentFlag[] {
  const { since = "1.0", until = version, deprecated, deprecatedUntil = version } = flag;
  const minor = (text: string): number => Number(text.split(".")[1]);
  if (minor(version) < minor(since) || minor(version) > minor(until)) return [];
  if (deprecated === undefined || minor(version) <= minor(deprecatedUntil)) return [flag];
  const { deprecated: _, ...current } = flag;
  return [current];
}

/** A flag of Kubernetes that the program accepts with a warning and ignores. `value` is its default as help prints it. */
export const withoutEffect = (
  name: string,
  type: FlagType,
  value: string,
  usage: string,
  why: string,
): ComponentFlag => ({ name, type, ...(value !== "" && { default: value }), usage, withoutEffect: why });
