import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Release, releaseOf } from "../../src/api/facts/index.js";

/** One filled object of each kind as k8s.io/api has them in its testdata, as JSON and as protobuf; not part of the project. */
export interface GoldenObjects {
  /** The version of Kubernetes: "1.36" is k8s.io/api v0.36.3. */
  readonly version: string;
  readonly release: Release;
  readonly folder: string;
  /** The names of the files; none where the testdata is not beside the project. */
  readonly files: readonly string[];
}

const data = join(import.meta.dirname, "../../../shared/data");

async function goldenOf(version: string, name: string): Promise<GoldenObjects> {
  const folder = join(data, name, "api");
  return { version, release: await releaseOf(version), folder, files: existsSync(folder) ? readdirSync(folder) : [] };
}

/** Those of each version that is served. */
export const goldenObjects: readonly GoldenObjects[] = await Promise.all([
  goldenOf("1.37", "golden-1.37"),
  goldenOf("1.36", "golden"),
]);

/** Whether the testdata are beside the project. */
export const hasGoldenObjects = goldenObjects.every(({ files }) => files.length > 0);
if (!hasGoldenObjects)
  process.stdout.write("golden objects are skipped: k8s.io/api's testdata are not beside the project\n");
