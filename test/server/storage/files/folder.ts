import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import type { Kv } from "../../../../src/server/storage/kv.js";
import { type FilesKvOptions, openFilesKv } from "../../../../src/server/storage/files/files-kv.js";
import type { ResourcePlace } from "../../../../src/server/storage/files/layout.js";

/** Some resources of a cluster. */
export const PLACES: readonly ResourcePlace[] = [
  place("/registry/pods/", "", "pods", "Pod"),
  place("/registry/services/specs/", "", "services", "Service"),
  place("/registry/namespaces/", "", "namespaces", "Namespace", false),
  place("/registry/deployments/", "apps", "deployments", "Deployment"),
  place("/registry/clusterroles/", "rbac.authorization.k8s.io", "clusterroles", "ClusterRole", false),
];

function place(prefix: string, group: string, resource: string, kind: string, namespaced = true): ResourcePlace {
  return { prefix, group, resource, namespaced, kinds: [{ group, kind }] };
}

/** An empty folder for a test, which is removed after it, and stores in it, which are closed. */
export function useFolder(): {
  path(): string;
  open(options?: Partial<FilesKvOptions>): Promise<{ readonly kv: Kv; readonly warnings: string[] }>;
} {
  let directory: Promise<string> | undefined;
  let made = "";
  const open: Kv[] = [];
  afterEach(async () => {
    for (const kv of open.splice(0)) await kv.close();
    if (directory !== undefined) await rm(await directory, { recursive: true, force: true });
    directory = undefined;
  });
  return {
    path: () => made,
    async open(options = {}) {
      made = await (directory ??= mkdtemp(join(tmpdir(), "kubets-files-")));
      const warnings: string[] = [];
      const kv = await openFilesKv({
        directory: made,
        places: PLACES,
        onWarning: (warning) => void warnings.push(warning),
        ...options,
      });
      open.push(kv);
      return { kv, warnings };
    },
  };
}
