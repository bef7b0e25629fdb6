import type { Handler } from "../../request/api-request.js";
import { respondBytes } from "../../request/respond.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";

/** The Kubernetes release this server behaves as. */
export const KUBERNETES_VERSION = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.3+kubets",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: `${process.platform === "win32" ? "windows" : process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
} as const;

/** Serves GET /version, indented as kube-apiserver writes it. `gitVersion` is that of a server with a version of its own: "v1.2.0". */
export function versionHandler(gitVersion?: string): Handler {
  const info =
    gitVersion === undefined ? KUBERNETES_VERSION : { ...KUBERNETES_VERSION, ...numbersOf(gitVersion), gitVersion };
  return async (request) => {
    const body = Buffer.from(encodeJson(info, { indent: 2 }), "utf8");
    await respondBytes(request, 200, { "content-type": "application/json" }, body);
  };
}

function numbersOf(gitVersion: string): { readonly major: string; readonly minor: string } {
  const [, major = "", minor = ""] = /^v?(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return { major, minor };
}
