import { readFileSync } from "node:fs";

/** Which kubets this is. */
export interface OwnBuild {
  /** The version of package.json. */
  readonly version: string;
  /** The commit that was built, "-modified" behind it where files differed from it; "" where that is not known. */
  readonly commit: string;
  /** When that was committed, RFC 3339; "" where the commit is not known. */
  readonly date: string;
}

/** The build replaces this module by the build's facts (tools/own-build.mjs); this one is used when the program runs from source. */
export const ownBuild: OwnBuild = { version: versionOfPackage(), commit: "", date: "" };

function versionOfPackage(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
