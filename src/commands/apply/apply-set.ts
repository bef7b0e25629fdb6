import { createHash } from "node:crypto";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { formatGroupVersion, type GroupVersionResource, type GroupKind } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { formatResource, type RestMapper, type RestMapping } from "../../machinery/rest-mapper.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import { isList } from "../../resource/lists.js";
import { aggregate } from "../../resource/visitor.js";
import { compareKeys } from "../../base/collections/key-order.js";

const GROUP_KINDS = "applyset.kubernetes.io/contains-group-kinds";
/** An older form of the same list. */
const GROUP_RESOURCES = "applyset.kubernetes.io/contains-group-resources";

/** The parent object of an ApplySet, which holds the set's labels and annotations. */
export interface ApplySetParent {
  readonly name: string;
  /** "" where none was given, and for kinds without namespaces. */
  readonly namespace: string;
  readonly mapping: RestMapping;
}

const TOOLING = "applyset.kubernetes.io/tooling";
const NAMESPACES = "applyset.kubernetes.io/additional-namespaces";
const ID = "applyset.kubernetes.io/id";
const PART_OF = "applyset.kubernetes.io/part-of";
const IS_PARENT_TYPE = "applyset.kubernetes.io/is-parent-type";
/** Sets made by one are kept by the other: the name is kubectl's, whatever the program is called. */
const TOOL = "kubectl";
const BUILT_IN_PARENTS: readonly string[] = ["secrets", "configmaps"];

/** Parses "[RESOURCE[.GROUP]/]NAME". Throws for an invalid text, and for a resource that the server lacks. */
export async function parseParent(text: string, mapper: RestMapper): Promise<Omit<ApplySetParent, "namespace">> {
  const slash = text.indexOf("/");
  const [type, name] = slash < 0 ? ["secrets", text] : [text.slice(0, slash), text.slice(slash + 1)];
  if (name === "") throw new Error("name cannot be blank");
  const kind = await mapper.kindFor(slash < 0 ? { group: "", version: "v1", resource: type } : groupResource(type));
  return { name, mapping: await mapper.mappingFor(kind) };
}

function groupResource(text: string): GroupVersionResource {
  const dot = text.indexOf(".");
  if (dot < 0) return { group: "", version: "", resource: text };
  return { group: text.slice(dot + 1), version: "", resource: text.slice(0, dot) };
}

export interface ApplySetOptions {
  readonly parent: ApplySetParent;
  /** Of the program, as it notes it: "v1.37.1". */
  readonly version: string;
  readonly mapper: () => Promise<RestMapper>;
  readonly client: () => Promise<RestClient>;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldValidation: string;
  /** Told when the parent's fields had to be taken from another manager. */
  readonly warnOfConflict: (error: unknown, fieldManager: string) => void;
}

/**
 * A set of applied objects, by the specification of KEP-3659: each object carries the set's label, and the parent lists the kinds
 * and namespaces of the members.
 */
export class ApplySet {
  readonly id: string;
  /** What the parent listed, and what is applied now. */
  current = new Members();
  readonly updated = new Members();

  constructor(private readonly options: ApplySetOptions) {
    const { name, namespace, mapping } = options.parent;
    const named = [name, namespace, mapping.kind.kind, mapping.kind.group].join(".");
    this.id = `applyset-${createHash("sha256").update(named).digest("base64url")}-v1`;
  }

  /** Selects the members. */
  get selector(): string {
    return `${PART_OF}=${this.id}`;
  }

  /** Throws when the parent cannot be one. */
  async validate(): Promise<void> {
    const { namespace, mapping } = this.options.parent;
    const faults: Error[] = [];
    if (mapping.namespaced && namespace === "") {
      faults.push(new Error("namespace is required to use namespace-scoped ApplySet"));
    }
    const { group, version, resource } = mapping.resource;
    if (!(group === "" && version === "v1" && BUILT_IN_PARENTS.includes(resource))) {
      const permitted: readonly string[] = await this.customParents().catch((error: unknown) => {
        faults.push(new Error(`identifying allowed custom resource parent types: ${errorMessage(error)}`));
        return [];
      });
      if (!permitted.includes(`${resource}.${group}`)) {
        faults.push(
          new Error(`resource ${goQuote(formatResource(mapping.resource))} is not permitted as an ApplySet parent`),
        );
      }
    }
    if (faults.length > 0) throw aggregate(faults);
  }

  private async customParents(): Promise<readonly string[]> {
    const client = await this.options.client();
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const answer = await client.request({ method: "GET", path, query: { labelSelector: IS_PARENT_TYPE } });
    const list: KubeObject = answer.json();
    return isList(list) ? list.items.map(({ metadata }) => metadata?.name ?? "") : [];
  }

  /** Marks the objects as members. Throws when one says already of what it is part. */
  label(infos: readonly Info[]): void {
    for (const info of infos) {
      const labels = info.object?.metadata?.labels ?? {};
      if (Object.hasOwn(labels, PART_OF))
        throw new Error(`ApplySet label ${goQuote(PART_OF)} already set in input data`);
      info.object = {
        ...info.object,
        metadata: { ...info.object?.metadata, labels: { ...labels, [PART_OF]: this.id } },
      };
    }
  }

  /** Before anything is applied the parent lists what was and what will be, so that nothing is lost on the way. */
  async begin(infos: readonly Info[]): Promise<void> {
    await this.readParent();
    for (const { mapping, namespace } of infos) this.updated.add(mapping, namespace);
    await this.writeParent(this.current.union(this.updated));
  }

  /** After pruning the parent lists only what is. */
  async finish(): Promise<void> {
    await this.writeParent(this.updated).catch((error: unknown) => {
      throw new Error(`apply and prune succeeded, but ApplySet update failed: ${errorMessage(error)}`, {
        cause: error,
      });
    });
  }

  private get parentName(): string {
    const { name, mapping } = this.options.parent;
    return goQuote(`${mapping.resource.resource}.${mapping.resource.group}/${name}`);
  }

  private async readParent(): Promise<void> {
    const { name, namespace, mapping } = this.options.parent;
    const helper = new Helper(await this.options.client(), mapping);
    const found = await helper.get(namespace, name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw new Error(`failed to fetch ApplySet parent object ${this.parentName}: ${errorMessage(error)}`, {
        cause: error,
      });
    });
    if (found !== undefined) return this.readMembers(found);
    const { group, version, resource } = mapping.resource;
    if (!(group === "" && version === "v1" && BUILT_IN_PARENTS.includes(resource))) {
      throw new Error("custom resource ApplySet parents cannot be created automatically");
    }
  }

  private async readMembers({ metadata }: KubeObject): Promise<void> {
    const { labels = {}, annotations = {} } = metadata ?? {};
    const parent = `ApplySet parent object ${this.parentName}`;
    const tooling = annotations[TOOLING];
    if (tooling === undefined) {
      throw new Error(`${parent} already exists and is missing required annotation ${goQuote(TOOLING)}`);
    }
    const tool = tooling.includes("/") ? tooling.slice(0, tooling.lastIndexOf("/")) : tooling;
    if (tool !== TOOL) {
      throw new Error(
        `${parent} already exists and is managed by tooling ${goQuote(tool)} instead of ${goQuote(TOOL)}`,
      );
    }
    const id = labels[ID];
    if (id === undefined) throw new Error(`${parent} exists and does not have required label ${ID}`);
    if (id !== this.id) {
      throw new Error(
        `${parent} exists and has incorrect value for label ${goQuote(ID)} (got: ${id}, want: ${this.id})`,
      );
    }
    const { namespace, mapping } = this.options.parent;
    const members = await Members.parse(annotations, await this.options.mapper()).catch((error: unknown) => {
      throw new Error(`parsing ApplySet annotation on ${this.parentName}: ${errorMessage(error)}`, { cause: error });
    });
    for (const other of (annotations[NAMESPACES] ?? "").split(",")) if (other !== "") members.namespaces.add(other);
    if (mapping.namespaced) members.namespaces.add(namespace);
    this.current = members;
  }

  private async writeParent(members: Members): Promise<void> {
    const { parent, dryRun, fieldValidation, warnOfConflict, client } = this.options;
    if (dryRun === "client") return;
    const fieldManager = `${TOOL}-applyset`;
    const helper = new Helper(await client(), parent.mapping, {
      dryRun: dryRun === "server",
      fieldManager,
      fieldValidation,
    });
    const body = new TextEncoder().encode(JSON.stringify(this.parentObject(members)));
    const send = (force: boolean): Promise<KubeObject> =>
      helper.patch(parent.namespace, parent.name, "apply", body, force);
    try {
      await send(false).catch((error: unknown) => {
        if (!isConflict(error)) throw error;
        warnOfConflict(error, fieldManager);
        return send(true);
      });
    } catch (error) {
      throw new Error(`failed to update ApplySet: ${errorMessage(error)}`, { cause: error });
    }
  }

  /** In the order of Go's type; maps in that of their keys. */
  private parentObject(members: Members): object {
    const { name, namespace, mapping } = this.options.parent;
    return {
      kind: mapping.kind.kind,
      apiVersion: formatGroupVersion(mapping.kind),
      metadata: {
        name,
        ...(namespace !== "" && { namespace }),
        labels: { [ID]: this.id },
        annotations: {
          [NAMESPACES]: members.namespacesText(namespace),
          [GROUP_KINDS]: members.kindsText(),
          [TOOLING]: `${TOOL}/${this.options.version}`,
        },
      },
    };
  }
}

type Annotations = Readonly<Record<string, string>>;

/** In which kinds and namespaces members of a set are. */
class Members {
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
