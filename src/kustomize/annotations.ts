const DOMAIN = "internal.config.kubernetes.io";

/** The annotations in which the build keeps notes about objects, so that patches and errors see them as kustomize's do. */
export const BUILD = {
  previousKinds: `${DOMAIN}/previousKinds`,
  previousNames: `${DOMAIN}/previousNames`,
  prefixes: `${DOMAIN}/prefixes`,
  suffixes: `${DOMAIN}/suffixes`,
  previousNamespaces: `${DOMAIN}/previousNamespaces`,
  allowNameChange: `${DOMAIN}/allowNameChange`,
  allowKindChange: `${DOMAIN}/allowKindChange`,
  refBy: `${DOMAIN}/refBy`,
  generatorBehavior: `${DOMAIN}/generatorBehavior`,
  needsHashSuffix: `${DOMAIN}/needsHashSuffix`,
} as const;

/** Taken off before anything is printed. */
export const BUILD_ANNOTATIONS: readonly string[] = [
  ...Object.values(BUILD),
  `${DOMAIN}/path`,
  `${DOMAIN}/index`,
  `${DOMAIN}/seqindent`,
  `${DOMAIN}/id`,
  `${DOMAIN}/annotations-migration-resource-id`,
  "config.kubernetes.io/path",
  "config.kubernetes.io/index",
  "config.k8s.io/id",
  `${DOMAIN}/helm-generated`,
];

/** Survives a JSON patch that took it away. */
export const isInternal = (name: string): boolean =>
  name.startsWith(`${DOMAIN}/`) ||
  ["config.kubernetes.io/path", "config.kubernetes.io/index", "config.k8s.io/id"].includes(name);

export const ORIGIN = "config.kubernetes.io/origin";
export const TRANSFORMATIONS = "alpha.config.kubernetes.io/transformations";
/** An object with this is input of a tool and not printed, unless it says "false". */
export const LOCAL_CONFIG = "config.kubernetes.io/local-config";
