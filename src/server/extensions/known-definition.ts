import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
} from "../../api/types/apiextensions/v1.js";
import {
  type FieldsOf,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { StoredObject } from "../storage/store.js";
import { type DefinitionNames, FINALIZER, isTrue } from "./definition-conditions.js";

/**
 * A stored CustomResourceDefinition. Of a definition, which may be large, it keeps what is asked for often; the rest is read from
 * the stored bytes when a kind is used.
 */
export class KnownDefinition {
  readonly name: string;
  readonly group: string;
  /** Plural and kind of the spec: a status that a user wrote may accept another definition's plural, whose objects are not this one's. */
  readonly plural: string;
  readonly kind: string;
  readonly accepted: DefinitionNames;
  readonly namesAccepted: boolean;
  readonly established: boolean;
  readonly terminating: boolean;
  /** True while the server still has to delete the objects. */
  readonly holdsObjects: boolean;
  /** spec.preserveUnknownFields, which definitions have that came as v1beta1. */
  readonly preservesUnknownFields: boolean;
  /** The versions that it wants served. */
  readonly served: readonly string[];
  /** Equal for two states that describe the same resource. */
  readonly made: string;
  #outline: KubeObject | undefined;
  readonly #generation: number;
  /** The generation that its resource was described by. */
  readonly #describing: number;

  /** `before` is the state that was known until now. Throws for an object that is no definition, whatever its key says. */
  constructor(
    private readonly stored: StoredObject,
    before?: KnownDefinition,
  ) {
    const definition = outlineOf(stored.peek());
    if (definition.kind !== "CustomResourceDefinition" || definition.apiVersion !== "apiextensions.k8s.io/v1") {
      throw new Error(
        `${stored.key} holds ${definition.apiVersion} ${definition.kind}, which is not a CustomResourceDefinition; it is not served`,
      );
    }
    this.#outline = definition;
    const { metadata = {}, spec, status }: ReceivedObject<CustomResourceDefinition> = definition;
    this.name = metadata.name ?? "";
    this.group = text(object(spec).group);
    const names = object(object(spec).names);
    this.plural = text(names.plural);
    this.kind = text(names.kind);
    this.accepted = namesIn(object(object(status).acceptedNames));
    const isOwn = this.name === `${this.plural}.${this.group}`;
    // Who may write the status may claim the conditions before the server has judged the names.
    const isServable = isOwn && this.accepted.plural !== "" && this.accepted.kind !== "";
    this.namesAccepted = isServable && isTrue(definition, "NamesAccepted");
    this.established = isServable && isTrue(definition, "Established");
    this.terminating = metadata.deletionTimestamp !== undefined;
    this.holdsObjects = metadata.finalizers?.includes(FINALIZER) === true;
    this.preservesUnknownFields = object(spec).preserveUnknownFields === true;
    this.served = objects(object(spec).versions).flatMap(({ name, served }) => (served === true ? [text(name)] : []));
    this.#generation = Number(metadata.generation ?? 0);
    this.#describing = before !== undefined && this.#describesAs(before) ? before.#describing : this.#generation;
    this.made = JSON.stringify([metadata.uid, this.#describing, this.accepted]);
  }

  /**
   * Whether this state and `before` describe the same resource. The registry counts the mark of a deletion as a generation, though it
   * changes nothing of the resource: the resource's watches go on, and show how the server deletes the objects.
   */
  #describesAs(before: KnownDefinition): boolean {
    const isMarked = this.terminating && !before.terminating;
    return this.#generation === before.#generation + (isMarked ? 1 : 0);
  }

  get key(): string {
    return this.stored.key;
  }

  /** The definition without what is large in it. It is held until {@link settle}. */
  get outline(): KubeObject {
    return (this.#outline ??= outlineOf(this.read()));
  }

  /** Nothing is to be done for the definition now: what it holds of it can go. */
  settle(): void {
    this.#outline = undefined;
  }

  /** The whole definition. It is decoded anew: do not keep more of it than is needed. */
  read(): KubeObject {
    return this.stored.peek();
  }

  /** One of its versions, whole. */
  version(name: string): Received<CustomResourceDefinitionVersion> {
    const { spec }: ReceivedObject<CustomResourceDefinition> = this.read();
    return objects(object(spec).versions).find((version) => version.name === name) ?? {};
  }
}

const namesIn = (names: Received<CustomResourceDefinitionNames>): DefinitionNames => ({
  plural: text(names.plural),
  singular: text(names.singular),
  shortNames: list(names.shortNames).map(text),
  kind: text(names.kind),
  listKind: text(names.listKind),
  categories: list(names.categories).map(text),
});

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** A definition without what is large in it: the schemas, who owns which field, and what kubectl applied last. */
function outlineOf(definition: KubeObject): KubeObject {
  const {
    metadata: { managedFields: _, annotations, ...metadata } = {},
    spec,
  }: ReceivedObject<CustomResourceDefinition> = definition;
  const versions = objects(object(spec).versions).map(({ schema: __, ...version }) => version);
  const { [LAST_APPLIED]: ___, ...kept } = annotations ?? {};
  return {
    ...definition,
    metadata: { ...metadata, annotations: kept },
    spec: { ...object(spec), versions } satisfies FieldsOf<CustomResourceDefinitionSpec>,
  } satisfies FieldsOf<CustomResourceDefinition>;
}
