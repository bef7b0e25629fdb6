import type { VersionTable } from "./version-table.js";

/** Versions that 1.36 has types of and no longer serves. */
export const RETIRED: VersionTable = {};
