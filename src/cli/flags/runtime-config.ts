import { parseGoBool } from "../../base/text/go-literals.js";

/** Reads the entries of --runtime-config: "group/version" or a class of versions, with on or off. Throws an Error for any other entry. */
export function readRuntimeConfig(entries: readonly string[]): Readonly<Record<string, boolean>> {
  const config: Record<string, boolean> = {};
  for (const entry of entries) {
    const [key = "", value = "true"] = entry.split("=");
    const enabled = value === "" ? true : parseGoBool(value);
    if (enabled === undefined || !/^(api\/(all|ga|beta|alpha)|v1|[a-z0-9.-]+\/v[0-9][a-z0-9]*)$/.test(key)) {
      throw new Error(
        `invalid value "${entry}" for --runtime-config: use group/version=true|false, or api/all, api/ga, api/beta or api/alpha`,
      );
    }
    config[key] = enabled;
  }
  return config;
}
