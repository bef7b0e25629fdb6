/** The versions that a server can be, the newest first. */
export const VERSIONS: readonly string[];
