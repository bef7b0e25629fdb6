import { configType, type PropertyType, type StructType } from "./property-schema.js";

/** A path such as clusters.10.10.12.56.server, cut where names of entries (which may hold dots) end. */
export interface PropertyPath {
  /** The text of each step, in order. */
  readonly steps: readonly string[];
}

/** @throws kubectl's text when the path leads nowhere */
export function parsePropertyPath(path: string): PropertyPath {
  const parts = path.split(".");
  const steps: string[] = [];
  let type: PropertyType = configType;
  for (let index = 0; index < parts.length; ) {
    if (type.kind === "map") {
      const name = entryName(parts.slice(index), type.entry);
      steps.push(name);
      index += name.split(".").length;
      type = type.entry;
    } else if (type.kind === "struct") {
      const step = parts[index] ?? "";
      const next: PropertyType | undefined = Object.hasOwn(type.fields, step) ? type.fields[step] : undefined;
      if (next === undefined) throw new Error(`unable to parse ${path} after [${steps.join(" ")}] at ${type.name}`);
      steps.push(step);
      index++;
      type = next;
    } else if (type.kind === "closed map") {
      throw new Error(`${type.valueType} is not of type struct`);
    } else {
      throw new Error(`unable to parse one or more field values of ${path}`);
    }
  }
  return { steps };
}

/** Everything up to the next part that is a field of the entry; all of it when none is. */
function entryName(parts: readonly string[], entry: StructType): string {
  const end = parts.findIndex((part, index) => index > 0 && Object.hasOwn(entry.fields, part));
  return parts.slice(0, end < 0 ? parts.length : end).join(".");
}
