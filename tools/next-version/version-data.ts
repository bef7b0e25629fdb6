import type { FactsFile } from "../../src/api/facts/data.js";

/** One version of Kubernetes as it was extracted, with the facts that are made of it. docs/kubernetes-versions.md describes the files. */
export interface VersionData {
  /** The minor version: "1.38". */
  readonly version: string;
  /** What the files are called by: "1.38-beta.0". */
  readonly name: string;
  readonly go: GoTypes;
  readonly gates?: GatesData | undefined;
  readonly components?: ComponentsData | undefined;
  readonly facts: Omit<FactsFile, "digest">;
}

/** kubernetes-X.Y-go-types.json: the types of k8s.io/api with the marks of their comments. */
export interface GoTypes {
  /** By package: the local names of what it imports. */
  readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly types: Readonly<
    Record<string, { readonly markers: readonly string[]; readonly fields: readonly GoField[] }>
  >;
  /** Types that are no structs. */
  readonly named: Readonly<Record<string, { readonly underlying: string; readonly markers: readonly string[] }>>;
  /** The constants of string types. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** Marks of constants, by "<type>.<value>". */
  readonly valueMarkers?: Readonly<Record<string, string>>;
}

export interface GoField {
  readonly type: string;
  readonly json?: string;
  readonly inline?: boolean;
  readonly markers?: readonly string[];
}

/** kubernetes-X.Y-gates.json: by gate, its stages in the order of versions. */
export type GatesData = Readonly<
  Record<
    string,
    readonly {
      readonly version: string;
      readonly stage: string;
      readonly default: boolean;
      readonly locked?: boolean;
    }[]
  >
>;

/** kubernetes-X.Y-components.json: what the programs have beside the API. */
export interface ComponentsData {
  /** By program ("kube-apiserver") and name ("audit-log-path"). */
  readonly flags?: Readonly<Record<string, Readonly<Record<string, FlagData>>>>;
  readonly metrics?: Readonly<Record<string, Readonly<Record<string, MetricData>>>>;
  /** FlowSchemas and PriorityLevelConfigurations that a new server has. */
  readonly flowControl?: readonly FlowControlObject[];
}

export interface FlagData {
  readonly type: string;
  /** As help prints it; "" without one. */
  readonly default: string;
  readonly deprecated?: string;
}

export interface MetricData {
  readonly type: "counter" | "gauge" | "histogram";
  readonly stability: string;
  readonly labels: readonly string[];
}

export interface FlowControlObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: unknown;
}

export const SECTIONS = {
  kinds: "Kinds, versions, subresources and verbs",
  fields: "Fields and their rules",
  marks: "Marks of fields that stay",
  gates: "Feature gates",
  texts: "Texts",
  components: "Flags, metrics, priority and fairness",
  decisions: "Decisions that nothing asks for",
} as const;

/** Something that a person must decide. */
export interface Line {
  readonly section: keyof typeof SECTIONS;
  /** What it is about: "core.PodSpec.evictionResponders". */
  readonly subject: string;
  /** What decisions.json names it by: the subject, with more words where a subject has several lines. */
  readonly id: string;
  readonly text: string;
  /** The file in which it is decided. */
  readonly where: string;
}

/** `detail` tells apart the lines of one subject. */
export function line(
  section: Line["section"],
  [subject, detail = ""]: readonly [subject: string, detail?: string],
  text: string,
  where: string,
): Line {
  return { section, subject, id: detail === "" ? subject : `${subject} ${detail}`, text, where };
}
