import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { schemaFor } from "../../../src/api/facts/index.js";
import { decodeJson } from "../../../src/machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../../src/machinery/wire/json/json-encoder.js";
import { parseGroupVersion } from "../../../src/machinery/meta/gvk.js";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import { applyJsonPatch } from "../../../src/machinery/patch/json-patch.js";
import { applyMergePatch } from "../../../src/machinery/patch/merge-patch.js";
import { isPatchError } from "../../../src/machinery/patch/patch-error.js";
import { strategicMergePatch } from "../../../src/machinery/patch/strategic-merge.js";
import { fromSchema } from "../../../src/machinery/patch/strategic-schema.js";
import { realTool, SHORT_LIVED } from "../../helpers/real-tools.js";
import { jsonOperations } from "./local/json-operations.js";
import { mergePatches } from "./local/merge.js";
import type { Row } from "./local/row.js";
import { strategicDirectives } from "./local/strategic-directives.js";
import { strategicLists } from "./local/strategic-lists.js";
import { strategicMaps } from "./local/strategic-maps.js";

// Each row goes through `kubectl patch --local` of the real kubectl and through the functions that the server's PATCH
// uses: the objects, or the errors' texts, must be the same.

type PatchKind = "strategic" | "merge" | "json";
interface Outcome {
  readonly object?: JsonValue;
  readonly error?: string;
}

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`kubectl patch --local is not asked: ${kubectl.missing}\n`);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-patch-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function theirs(kind: PatchKind, { name, object, patch }: Row): Promise<Outcome> {
  const file = join(folder, `${kind}-${encodeURIComponent(name).replaceAll(/[%*']/g, "_")}.json`);
  await writeFile(file, encodeJson(object));
  const argv = ["patch", "--local", "-f", file, "-o", "json", `--type=${kind}`, "-p", encodeJson(patch)];
  const env = { ...SHORT_LIVED, HOME: folder, KUBECONFIG: "/dev/null", PATH: "/usr/bin:/bin" };
  return new Promise((resolve) => {
    execFile(kubectl.path, argv, { env }, (failure, stdout, stderr) =>
      resolve(failure ? { error: stderr.replace(/^error: /, "").trimEnd() } : { object: decodeJson(stdout).value }),
    );
  });
}

function ours(kind: PatchKind, { object, patch }: Row): Outcome {
  try {
    return { object: apply(kind, object, patch) };
  } catch (error) {
    if (isPatchError(error)) return { error: shown(error.message) };
    throw error;
  }
}

function apply(kind: PatchKind, object: JsonObject, patch: JsonValue): JsonValue {
  if (kind === "json") return applyJsonPatch(object, patch);
  if (kind === "merge") return applyMergePatch(object, patch);
  const { apiVersion, kind: name } = object;
  const schema = schemaFor({ ...parseGroupVersion(apiVersion as string), kind: name as string });
  if (schema === undefined) throw new Error(`no facts of ${name as string}`);
  return strategicMergePatch(object, patch as JsonObject, fromSchema(schema));
}

/** kubectl says one of the errors in words of its own. */
function shown(message: string): string {
  const [, key] = /doc is missing key: ([^]*)$/.exec(message) ?? [];
  return (key === undefined ? message : `Object to be patched is missing field (${key})`).trimEnd();
}

describe.skipIf(kubectl.missing !== undefined)("kubectl patch --local and our patches have the same result", () => {
  const tables: readonly (readonly [PatchKind, readonly Row[]])[] = [
    ["strategic", strategicLists],
    ["strategic", strategicMaps],
    ["strategic", strategicDirectives],
    ["merge", mergePatches],
    ["json", jsonOperations],
  ];
  for (const [kind, table] of tables) {
    test.concurrent.for(table)(`${kind}: $name`, async (row, { expect }) => {
      const before = encodeJson([row.object, row.patch]);
      expect(ours(kind, row)).toEqual(await theirs(kind, row));
      expect(encodeJson([row.object, row.patch])).toBe(before);
    });
  }
});
