import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { goPlatform, kubernetesRelease } from "./client-version.js";

const FIELDS = [
  "Major",
  "Minor",
  "EmulationMajor",
  "EmulationMinor",
  "MinCompatibilityMajor",
  "MinCompatibilityMinor",
  "GitVersion",
  "GitCommit",
  "GitTreeState",
  "BuildDate",
  "GoVersion",
  "Compiler",
  "Platform",
];

/** --match-server-version. @throws kubectl's text, both versions as Go prints them, unless they are the same build */
export async function requireMatchingServer(
  client: RestClient,
  platform: NodeJS.Platform,
  arch: string,
): Promise<void> {
  const ours: Readonly<Record<string, unknown>> = { ...kubernetesRelease, platform: goPlatform(platform, arch) };
  const theirs = await serverVersion(client);
  if (["gitVersion", "gitCommit", "gitTreeState"].every((field) => ours[field] === (theirs[field] ?? ""))) return;
  throw new Error(`server version (&${goStruct(theirs)}) differs from client version (${goStruct(ours)})`);
}

async function serverVersion(client: RestClient): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await client.request({ method: "GET", path: "/version", query: { timeout: "32s" } })).json();
  } catch (error) {
    throw new Error(`couldn't read version from server: ${errorMessage(error)}`);
  }
}

function goStruct(info: Readonly<Record<string, unknown>>): string {
  const fields = FIELDS.map((name) => {
    const value = info[name.charAt(0).toLowerCase() + name.slice(1)];
    return `${name}:${goQuote(typeof value === "string" ? value : "")}`;
  });
  return `version.Info{${fields.join(", ")}}`;
}
