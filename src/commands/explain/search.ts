import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { typeName } from "./field-notes.js";
import { heldBy, partsOf, propertiesOf, type SchemaDocument, textOf } from "./schema-document.js";

/** A field whose name or description holds what was searched for. */
export interface FoundField {
  /** "pods.spec.containers.image" */
  readonly path: string;
  /** "string", "[]Container" */
  readonly type: string;
  /** The first sentence of its description. */
  readonly summary: string;
  /** Whether its name holds the word; those come first. */
  readonly byName: boolean;
  /** How many steps lead to it. */
  readonly depth: number;
}

/** A kind to look through. */
export interface SearchedKind {
  readonly resource: GroupVersionResource;
  readonly schema: JsonObject;
  readonly document: SchemaDocument;
}

/**
 * The fields of some kinds that a word is found in, names before descriptions, short ways before long ones. A type that several
 * kinds have is looked through once, on the shortest way to it; case does not matter.
 */
export function searchFields(kinds: readonly SearchedKind[], word: string): readonly FoundField[] {
  const wanted = word.toLowerCase();
  const found: FoundField[] = [];
  const seen = new Set<string>();
  let open: Place[] = kinds.map(({ resource, schema, document }) => ({
    path: resource.resource,
    schema,
    document,
    depth: 1,
  }));
  while (open.length > 0) {
    const next: Place[] = [];
    for (const place of open) {
      for (const [name, field] of fieldsOf(place, seen)) {
        const path = `${place.path}.${name}`;
        const description = describedBy(field, place.document);
        const byName = name.toLowerCase().includes(wanted);
        if (byName || description.toLowerCase().includes(wanted)) {
          const type = typeName(field, place.document);
          found.push({ path, type, summary: firstSentence(description), byName, depth: place.depth });
        }
        next.push({ ...place, path, schema: field, depth: place.depth + 1 });
      }
    }
    open = next;
  }
  return found.toSorted((a, b) => Number(b.byName) - Number(a.byName) || a.depth - b.depth);
}

interface Place {
  readonly path: string;
  readonly schema: JsonObject;
  readonly document: SchemaDocument;
  readonly depth: number;
}

/** The fields of a schema, of its parts, and of what it holds; none of a type that was looked through before. */
function fieldsOf(
  { schema, document }: Pick<Place, "schema" | "document">,
  seen: Set<string>,
): (readonly [string, JsonObject])[] {
  const reference = textOf(schema["$ref"]);
  if (reference !== undefined) {
    // Types of all groups and versions have full names, and custom kinds have no types beside their own.
    if (seen.has(reference)) return [];
    seen.add(reference);
  }
  const resolved = document.resolve(schema);
  const inner = [...partsOf(resolved), ...heldBy(resolved)].flatMap((one) => fieldsOf({ schema: one, document }, seen));
  return [...propertiesOf(resolved), ...inner];
}

/** What a field says of itself, or else what its type says. */
const describedBy = (field: JsonObject, document: SchemaDocument): string =>
  textOf(field["description"]) ?? textOf(document.resolve(partsOf(field)[0] ?? field)["description"]) ?? "";

const firstSentence = (text: string): string => /^.*?[.:](?=\s|$)/s.exec(text)?.[0].replaceAll(/\s+/g, " ") ?? text;
