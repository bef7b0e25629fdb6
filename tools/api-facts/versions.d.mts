/** The versions that a server can be, the newest first. */
export const VERSIONS: readonly string[];

/** By version: the groups and their versions in the order of kube-apiserver's priorities. */
export const GROUPS_OF: Readonly<Record<string, readonly { readonly name: string; readonly versions: readonly string[] }[]>>;
