import type { GoTypes } from "../next-version/version-data.js";

type Lines<Line> = Readonly<Record<string, Line>>;

/** The API facts of one version of Kubernetes, "1.36", as src/api/facts/data.ts describes them, without a digest. */
export function factsOfVersion(kubernetes: string): {
  readonly published: Readonly<Record<"source" | "groups" | "resources" | "kinds" | "unions" | "enums" | "definitions", unknown>>;
  readonly unpublished: {
    readonly kinds: Lines<readonly string[]>;
    readonly enums: Lines<readonly string[]>;
    readonly definitions: Lines<Lines<string>>;
  };
};

/** The files of tools/api-data of one version, as JSON. */
export function dataOfVersion(kubernetes: string): {
  readonly openApi: {
    readonly definitions: Record<string, { properties?: Record<string, unknown>; required?: string[] }>;
    readonly resources: Record<string, unknown>[];
  };
  readonly go: GoTypes;
};
