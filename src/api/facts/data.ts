import json from "./data/kubernetes-1.36.json" with { type: "json" };

/** The committed facts as tools/generate-api-facts.mjs writes them; see there for the grammar of a definition's line. */
export interface FactsFile {
  readonly source: string;
  /** SHA-512 of everything else; changes when any fact does. */
  readonly digest: string;
  /** In discovery's order; a group's versions with the preferred one first. */
  readonly groups: readonly { readonly name: string; readonly versions: readonly string[] }[];
  readonly resources: readonly ResourceEntry[];
  /** Definition to its "group/version/Kind"s. */
  readonly kinds: Readonly<Record<string, readonly string[]>>;
  /** Definition to its x-kubernetes-unions. */
  readonly unions: Readonly<Record<string, readonly unknown[]>>;
  /** Values of a named string type, by "<package>.<Name>". */
  readonly enums: Readonly<Record<string, readonly string[]>>;
  /** Package to type name to line. */
  readonly definitions: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface ResourceEntry {
  readonly groupVersion: string;
  readonly name: string;
  readonly singular: string;
  readonly kind: string;
  readonly definition: string;
  readonly namespaced?: boolean;
  readonly verbs: readonly string[];
  readonly subresources?: Readonly<
    Record<string, { readonly kind: string; readonly verbs: readonly string[] } | undefined>
  >;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: string;
}

export const facts = json as unknown as FactsFile;
