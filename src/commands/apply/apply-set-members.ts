import { errorMessage } from "../../base/text/error-message.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { GroupKind } from "../../machinery/meta/gvk.js";
import type { RestMapper, RestMapping } from "../../machinery/rest-mapper.js";

const GROUP_KINDS = "applyset.kubernetes.io/contains-group-kinds";
/** An older form of the same list. */
const GROUP_RESOURCES = "applyset.kubernetes.io/contains-group-resources";

type Annotations = Readonly<Record<string, string>>;

/** In which kinds and namespaces members of a set are. */
export class Members {
  readonly namespaces = new Set<string>();
  private readonly kinds = new Map<string, RestMapping>();

  /** What the parent's annotations list. Throws when they do not, or when the server lacks a kind. */
  static async parse(annotations: Annotations, mapper: RestMapper): Promise<Members> {
    const members = new Members();
    const listed = annotations[GROUP_KINDS];
    const old = annotations[GROUP_RESOURCES] ?? "";
    if (listed === undefined && old === "") {
      throw new Error(
        `kubectl requires the ${goQuote(GROUP_KINDS)} annotation to be set on all ApplySet parent objects`,
      );
    }
    if (listed === undefined) await members.parseResources(old, mapper);
    else await members.parseKinds(listed, mapper);
    return members;
  }

  private async parseKinds(text: string, mapper: RestMapper): Promise<void> {
    for (const part of wordsOf(text)) {
      const { name: kind, group } = splitGroup(part);
      const mapping = await mapper.mappingFor({ group, kind }).catch((error: unknown) => {
        throw new Error(
          `could not find mapping for kind in ${goQuote(GROUP_KINDS)} annotation: ${errorMessage(error)}`,
        );
      });
      this.kinds.set(part, mapping);
    }
  }

  private async parseResources(text: string, mapper: RestMapper): Promise<void> {
    for (const part of wordsOf(text)) {
      const { name: resource, group } = splitGroup(part);
      const kind = await mapper.kindFor({ group, version: "", resource }).catch((error: unknown) => {
        throw new Error(`invalid group resource in ${goQuote(GROUP_RESOURCES)} annotation: ${errorMessage(error)}`);
      });
      const mapping = await mapper.mappingFor(kind).catch((error: unknown) => {
        throw new Error(
          `could not find kind for resource in ${goQuote(GROUP_RESOURCES)} annotation: ${errorMessage(error)}`,
        );
      });
      this.kinds.set(textOf(kind), mapping);
    }
  }

  add(mapping: RestMapping, namespace: string): void {
    const key = textOf(mapping.kind);
    if (!this.kinds.has(key)) this.kinds.set(key, mapping);
    if (mapping.namespaced && namespace !== "") this.namespaces.add(namespace);
  }

  union(other: Members): Members {
    const both = new Members();
    for (const { kinds, namespaces } of [this, other]) {
      for (const [key, mapping] of kinds) if (!both.kinds.has(key)) both.kinds.set(key, mapping);
      for (const namespace of namespaces) both.namespaces.add(namespace);
    }
    return both;
  }

  get mappings(): readonly RestMapping[] {
    return [...this.kinds.values()];
  }

  /** "ConfigMap,Deployment.apps" */
  kindsText(): string {
    return [...this.kinds.keys()].sort(compareKeys).join(",");
  }

  /** All but the parent's own. */
  namespacesText(own: string): string {
    return [...this.namespaces]
      .filter((namespace) => namespace !== own)
      .sort(compareKeys)
      .join(",");
  }
}

const wordsOf = (text: string): readonly string[] => (text === "" ? [] : text.split(","));

const textOf = ({ group, kind }: GroupKind): string => (group === "" ? kind : `${kind}.${group}`);

function splitGroup(text: string): { readonly name: string; readonly group: string } {
  const dot = text.indexOf(".");
  return dot < 0 ? { name: text, group: "" } : { name: text.slice(0, dot), group: text.slice(dot + 1) };
}
