import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import { formatGroupResource } from "../../machinery/errors/status-error.js";
import type { ApiResource } from "../../machinery/rest-mapper.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";
import { emitKyaml } from "../../machinery/text/yaml/kyaml.js";
import { headingCells, type Look, rowCells, tableColumns } from "../../printers/look.js";
import { TabWriter } from "../../printers/tab-writer.js";

export type ApiResourcesFormat = "" | "wide" | "name" | "json" | "yaml" | "kyaml";

export interface ApiResourcesPrint {
  readonly format: ApiResourcesFormat;
  readonly noHeaders: boolean;
  readonly look: Look;
}

export function printApiResources(
  resources: readonly ApiResource[],
  { format, noHeaders, look }: ApiResourcesPrint,
  out: (text: string) => void,
): void {
  const { paint } = look;
  const document = (text: string, colour: ((text: string) => string) | undefined): void => out(colour?.(text) ?? text);
  switch (format) {
    case "json":
      return document(`${encodeJson(listOf(resources), { indent: 4 })}\n`, paint?.json);
    case "yaml":
      return document(emitYaml(listOf(resources)), paint?.yaml);
    case "kyaml":
      return document(emitKyaml(listOf(resources), { inGivenOrder: true }), paint?.kyaml);
    case "name":
      return out(resources.map(({ group, name }) => `${formatGroupResource({ group, resource: name })}\n`).join(""));
    case "":
    case "wide":
      return printColumns(resources, format === "wide", noHeaders, look, out);
  }
}

function printColumns(
  resources: readonly ApiResource[],
  wide: boolean,
  noHeaders: boolean,
  look: Look,
  out: (text: string) => void,
): void {
  const writer = new TabWriter(out, { measure: look.measure, fit: look.fit });
  const headings = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", ...(wide ? ["VERBS", "CATEGORIES"] : [])];
  writer.write.table?.(tableColumns(headings, !noHeaders));
  if (!noHeaders) writer.write(`${headingCells(look, headings).join("\t")}\n`);
  for (const resource of resources) {
    const cells = [
      resource.name,
      resource.shortNames.join(","),
      formatGroupVersion(resource),
      String(resource.namespaced),
      resource.kind,
    ];
    if (wide) cells.push(resource.verbs.join(","), resource.categories.join(","));
    writer.write(`${rowCells(look, headings, cells).join("\t")}\n`);
  }
  writer.flush();
}

/** meta/v1's APIResourceList, in its fields' own order. */
function listOf(resources: readonly ApiResource[]): object {
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: "",
    resources: resources.length === 0 ? null : resources.map(wire),
  };
}

function wire({
  name,
  singularName,
  namespaced,
  group,
  version,
  kind,
  verbs,
  shortNames,
  categories,
}: ApiResource): object {
  return {
    name,
    singularName,
    namespaced,
    ...(group !== "" && { group }),
    version,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
}
