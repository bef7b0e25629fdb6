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

/** The annotations that a build removes before it prints. */
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

/** Whether the annotation is kustomize's own, which is put back when a JSON patch removed it. */
export const isInternal = (name: string): boolean =>
  name.startsWith(`${DOMAIN}/`) ||
  ["config.kubernetes.io/path", "config.kubernetes.io/index", "config.k8s.io/id"].includes(name);

export const ORIGIN = "config.kubernetes.io/origin";
export const TRANSFORMATIONS = "alpha.config.kubernetes.io/transformations";
/** The annotation of an object that is only input of a tool: it is not printed, unless the value is "false". */
export const LOCAL_CONFIG = "config.kubernetes.io/local-config";
