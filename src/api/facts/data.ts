/** The facts of one version of Kubernetes, as tools/generate-api-facts.mjs writes them; see there for the grammar of a definition's line. */
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

/** The API types of a facts file that no OpenAPI has. */
export type UnpublishedFile = Pick<FactsFile, "kinds" | "enums" | "definitions">;

/** Lines of a table that differ from the newest version's; null: the line is absent. */
type LinesDelta<Line> = Readonly<Record<string, Line | null>>;

export interface UnpublishedDelta {
  readonly kinds: LinesDelta<readonly string[]>;
  readonly enums: LinesDelta<readonly string[]>;
  /** Null: the package is absent. */
  readonly definitions: Readonly<Record<string, LinesDelta<string> | null>>;
}

/** The differences of an older version's facts from the newest version's, as tools/generate-api-facts.mjs writes them. */
export interface FactsDelta extends UnpublishedDelta {
  readonly source?: string;
  readonly digest?: string;
  readonly groups?: FactsFile["groups"];
  readonly resources: readonly (ResourceEntry | AbsentResource)[];
  readonly unions: LinesDelta<readonly unknown[]>;
}

export interface AbsentResource {
  readonly groupVersion: string;
  readonly name: string;
  readonly absent: true;
}

/** The differences of an older version from the newest. */
export interface ReleaseDelta {
  readonly published: FactsDelta;
  readonly unpublished: UnpublishedDelta;
}
