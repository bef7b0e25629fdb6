import { type ResourceFacts, type RuntimeConfig, servedResources } from "../../api/facts/index.js";
import type { Scheme } from "../../machinery/scheme/scheme.js";
import { recordId, type ResourceRecord } from "../endpoints/resource-record.js";
import { type Installation, installationId } from "./installation.js";

/** The resources that the API facts have and this configuration turns on, each with its record. */
export function builtInInstallations(
  runtimeConfig: RuntimeConfig,
  records: readonly ResourceRecord[],
  scheme: Scheme,
): readonly Installation[] {
  const recordsById = new Map(records.map((record) => [recordId(record), record]));
  const versions = new Map<string, ResourceFacts[]>();
  for (const facts of servedResources(runtimeConfig)) {
    const id = installationId({ group: facts.group, resource: facts.name });
    const known = versions.get(id);
    if (known === undefined) versions.set(id, [facts]);
    else known.push(facts);
  }
  return [...versions].map(([id, facts]) => ({
    group: facts[0]?.group ?? "",
    resource: facts[0]?.name ?? "",
    versions: facts,
    record: recordsById.get(id),
    scheme,
    kinds: [],
  }));
}
