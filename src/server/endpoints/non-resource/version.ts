import type { Release } from "../../../api/facts/index.js";
import type { Info } from "../../../api/types/version.js";
import type { Handler } from "../../request/api-request.js";
import { respondBytes } from "../../request/respond.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";

/** The version information of a server of a release. */
export const versionInfo = ({
  minor,
  gitVersion,
  emulated,
  minCompatibility,
}: Pick<Release, "minor" | "gitVersion" | "emulated" | "minCompatibility">): Info => ({
  major: "1",
  minor: String(minor),
  emulationMajor: "1",
  emulationMinor: emulated.slice("1.".length),
  minCompatibilityMajor: "1",
  minCompatibilityMinor: minCompatibility.slice("1.".length),
  gitVersion: `${gitVersion}+kubets`,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: `${process.platform === "win32" ? "windows" : process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
});

/** Serves GET /version, indented as kube-apiserver writes it. `gitVersion` is that of a server with a version of its own: "v1.2.0". */
export function versionHandler(release: Release, gitVersion?: string): Handler {
  const known = versionInfo(release);
  const info = gitVersion === undefined ? known : { ...known, ...numbersOf(gitVersion), gitVersion };
  return async (request) => {
    const body = Buffer.from(encodeJson(info, { indent: 2 }), "utf8");
    await respondBytes(request, 200, { "content-type": "application/json" }, body);
  };
}

function numbersOf(gitVersion: string): { readonly major: string; readonly minor: string } {
  const [, major = "", minor = ""] = /^v?(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return { major, minor };
}
