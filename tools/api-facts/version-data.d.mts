import type { GatesData, GoTypes, ComponentsData, VersionData } from "../next-version/version-data.js";

interface RawData {
  readonly version: string;
  readonly openApi: object;
  readonly go: GoTypes;
  readonly gates?: GatesData | undefined;
  readonly components?: ComponentsData | undefined;
}

/**
 * The data of a version ("1.38-beta.0") that a folder has, plain or compressed, with the facts that are made of them. Throws an Error that says what is missing
 * or cannot be read.
 */
export function readVersionData(folder: string, name: string): VersionData;

/** The same of data that are in memory. */
export function dataWithFacts(data: RawData): VersionData;

/** The served version that one is compared with: the newest that is older. Undefined for the oldest. */
export function versionBefore(version: string): string | undefined;
