import facts from "../facts/kubernetes-1.21.json" with { type: "json" };

/** A list that a strategic merge patch merges: by `keys`, or by its values when there are none. */
export interface MergedList {
  readonly keys: readonly string[];
  readonly elements: MergeType | undefined;
}

/** The part of a type that a strategic merge patch uses. */
export interface MergeType {
  /** The type of a member, when lists that are merged lie within it. */
  member(name: string): MergeType | undefined;
  /** Defined when the member is a list that is merged. */
  list(name: string): MergedList | undefined;
}

type Fields = Readonly<Record<string, string | readonly string[]>>;

const types: Readonly<Record<string, Fields>> = facts.types;
const kinds: Readonly<Record<string, string>> = facts.kinds;
const clusterKinds: ReadonlySet<string> = new Set(facts.cluster);

/** Whether a kind has no namespace, as far as kustomize knows: by the kinds of Kubernetes 1.21. */
export const isClusterScoped = (apiVersion: string, kind: string): boolean => clusterKinds.has(`${apiVersion}/${kind}`);

/** Looks up how lists are merged in a kind. */
export type MergeTypes = (apiVersion: string, kind: string) => MergeType | undefined;

/** kustomize's built-in merge types: those of Kubernetes 1.21. */
export const builtInMergeTypes: MergeTypes = (apiVersion, kind) => {
  const name = kinds[`${apiVersion}/${kind}`];
  return name === undefined ? undefined : typeNamed(name);
};

function typeNamed(name: string): MergeType | undefined {
  const fields = types[name];
  if (fields === undefined) return undefined;
  return {
    member: (field) => {
      const found = Object.hasOwn(fields, field) ? fields[field] : undefined;
      return typeof found === "string" ? typeNamed(found) : undefined;
    },
    list: (field) => {
      const found = Object.hasOwn(fields, field) ? fields[field] : undefined;
      if (found === undefined || typeof found === "string") return undefined;
      const [elements = "", ...keys] = found;
      return { keys, elements: typeNamed(elements) };
    },
  };
}
