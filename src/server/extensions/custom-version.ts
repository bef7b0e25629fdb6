import type { Measuring } from "../metrics/measures.js";
import type { FieldsOf } from "../../machinery/meta/received.js";
import type {
  CustomResourceDefinitionVersion,
  CustomResourceValidation,
  SelectableField,
} from "../../api/types/apiextensions/v1.js";
import { once } from "../../base/async/once.js";
import { nextSlice } from "../../base/async/time-slice.js";
import { schemaFor } from "../../api/facts/index.js";
import { isStructuralSchema } from "../../api/validation/apiextensions/index.js";
import { absent, object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import {
  leadsToEmbedded,
  preservingSchemaOf,
  type StructuralSchema,
  structuralSchemaOf,
} from "../../machinery/structural/structural-schema.js";
import { contentSchemaOf } from "../../machinery/structural/to-schema.js";
import type { SubresourceDefinition } from "../api-registry/resource-definition.js";
import type { TableColumns } from "../registry/strategy.js";
import { CustomScale } from "./custom-scale.js";
import { customColumns } from "./custom-columns.js";
import type { KnownDefinition } from "./known-definition.js";
import type { RuleDialect } from "../../machinery/structural/rules/dialect.js";
import { ObjectJudge } from "./object-judge.js";

/** In the order of apiextensions' discovery. */
const SUBRESOURCES = [{ name: "status" }, { name: "scale" }];
/** One version of a custom kind. The objects derived from its schema and its columns are made on first use. */
export class CustomVersion {
  readonly name: string;
  readonly isServed: boolean;
  readonly isStored: boolean;
  readonly isDeprecated: boolean;
  /** The `Warning:` that the version asks for in place of the usual one. */
  readonly ownWarning: string | undefined;
  /** The paths of its selectableFields, as selectors write them: "spec.colour". */
  readonly selectable: readonly string[];
  readonly subresources: readonly SubresourceDefinition[];
  readonly #subresources: ReadonlyFields;
  #structural: StructuralSchema | undefined;
  #judge: ObjectJudge | undefined;
  #scale: CustomScale | undefined;
  #columns: TableColumns | undefined;
  #content: StructSchema | undefined;
  #preparing: Promise<void> | undefined;
  #isReady = false;

  constructor(
    private readonly definition: KnownDefinition,
    fields: FieldsOf<CustomResourceDefinitionVersion>,
    private readonly dialect: RuleDialect,
    private readonly measuring: Measuring | undefined,
  ) {
    this.name = text(fields.name);
    this.isServed = fields.served === true;
    this.isStored = fields.storage === true;
    this.isDeprecated = fields.deprecated === true;
    this.ownWarning = absent(fields.deprecationWarning) ? undefined : text(fields.deprecationWarning);
    this.selectable = objects(fields.selectableFields).map(({ jsonPath }: FieldsOf<SelectableField>) =>
      text(jsonPath).replace(/^\./, ""),
    );
    this.#subresources = object(fields.subresources);
    this.subresources = SUBRESOURCES.filter(({ name }) => this.subresource(name) !== undefined);
  }

  get structural(): StructuralSchema {
    return (this.#structural ??= this.definition.preservesUnknownFields
      ? preservingSchemaOf(this.#schema())
      : structuralSchemaOf(this.#schema()));
  }

  /** As the definition has it; empty where it has none. */
  #schema(): JsonObject {
    const { openAPIV3Schema }: FieldsOf<CustomResourceValidation> = object(this.definition.version(this.name).schema);
    return object(openAPIV3Schema) as JsonObject;
  }

  /** Judges its objects. */
  get judge(): ObjectJudge {
    return (this.#judge ??= new ObjectJudge(this.structural, this.scale, this.dialect, this.measuring));
  }

  /** Undefined where it has no scale subresource. */
  get scale(): CustomScale | undefined {
    const fields = this.subresource("scale");
    return fields && (this.#scale ??= new CustomScale(fields));
  }

  /** What the server reads and writes by: its fields beside metadata. */
  get content(): StructSchema {
    const { kind } = this.definition.accepted;
    return (this.#content ??= contentSchemaOf(() => this.structural, kind, {
      objectMeta: objectMeta(),
      selectableFields: this.selectable,
      isPublished: once(() => !this.definition.preservesUnknownFields || isStructuralSchema(this.#schema())),
    }));
  }

  /** Makes ready what comes of the schema, in slices of the event loop; undefined when it is ready. Never rejects: who needs it throws. */
  prepare(): Promise<void> | undefined {
    if (this.#isReady) return undefined;
    return (this.#preparing ??= this.#prepare().finally(() => (this.#isReady = true)));
  }

  async #prepare(): Promise<void> {
    try {
      const { structural } = this;
      await nextSlice();
      await this.judge.prepare();
      await nextSlice();
      leadsToEmbedded(structural);
      await nextSlice();
      for (const { schema } of this.content.fields) if (schema.type === "struct") void schema.fields;
      await nextSlice();
    } catch {
      // The request that needs it reports it.
    }
  }

  get columns(): TableColumns {
    return (this.#columns ??= customColumns(this.definition.version(this.name)));
  }

  subresource(name: string): ReadonlyFields | undefined {
    const subresource = this.#subresources[name];
    return absent(subresource) ? undefined : object(subresource);
  }
}

let metadataSchema: StructSchema | undefined;

/** The schema of meta/v1 ObjectMeta, for embedded resources. */
export function objectMeta(): StructSchema {
  metadataSchema ??= schemaFor({ group: "", version: "v1", kind: "ConfigMap" })?.byName.get("metadata")
    ?.schema as StructSchema;
  return metadataSchema;
}
