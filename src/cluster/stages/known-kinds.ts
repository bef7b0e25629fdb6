import { type RuntimeConfig, servesRetired, type TypeSource } from "../../api/facts/index.js";
import { publishedScheme } from "../../api/scheme/published.js";
import type { Scheme } from "../../machinery/scheme/scheme.js";

/** The kinds that a server must know. Those that 1.36 has removed are loaded only for a server that serves or may find some. */
export async function knownKinds(
  runtimeConfig: RuntimeConfig,
  foreign: boolean,
): Promise<{ readonly scheme: Scheme; readonly types?: TypeSource }> {
  const serves = servesRetired(runtimeConfig);
  if (!foreign && !serves) return { scheme: publishedScheme() };
  const { allScheme } = await import("../../api/scheme/all.js");
  if (!serves) return { scheme: allScheme() };
  const { allDefinitions } = await import("../../api/facts/unpublished.js");
  return { scheme: allScheme(), types: allDefinitions };
}
