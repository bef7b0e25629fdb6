import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { fieldOwners } from "../helpers/field-owners.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";
import { writeProgram } from "../helpers/write-program.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl interop is skipped: ${missing}\n`);

/** The editor: keeps what it was given the last time, and runs the step that was written beside it. */
const EDITOR = '#!/bin/sh\ncp "$1" seen\n. ./step\n';

const HEADER = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

describe.skipIf(missing !== undefined)("kubectl 1.37.1 edit", () => {
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await startCluster({ ...quietCluster });
    kubectl = await realKubectl(cluster, { EDITOR: "./editor" });
    writeProgram(join(kubectl.folder, "editor"), EDITOR);
    for (const name of ["plain", "refused", "raced", "untouched"]) {
      await kubectl.ok(`create deployment ${name} --image=nginx:1`);
    }
    await kubectl.ok("create configmap map --from-literal=a=1");
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster.close();
  });

  /** Runs kubectl edit; `step` is shell text, in which "$1" is the file. */
  async function edit(step: string, argv: string) {
    await writeFile(join(kubectl.folder, "step"), step);
    const { stderr, ...rest } = await kubectl.run(`edit ${argv}`);
    return { ...rest, stderr: stderr.replaceAll(/[^ "`]*kubectl-edit-\d+\.\w+/g, "KEPT") };
  }
  const sed = (...scripts: readonly string[]) => scripts.map((script) => `sed -i '${script}' "$1"`).join("\n");
  const seen = () => readFile(join(kubectl.folder, "seen"), "utf8");
  const get = async (what: string) =>
    JSON.parse(await kubectl.ok(`get ${what} -o json --show-managed-fields`)) as KubeObject;
  const ok = (stdout: string, stderr = "") => ({ code: 0, stdout, stderr });
  const failed = (stderr: string) => ({ code: 1, stdout: "", stderr });

  test("shows the object without managed fields, and sends only the changes", async () => {
    expect(await edit(sed("s/nginx:1/nginx:2/"), "deployment plain")).toEqual(ok("deployment.apps/plain edited\n"));
    const text = await seen();
    expect(text.startsWith(`${HEADER}apiVersion: apps/v1\nkind: Deployment\n`)).toBe(true);
    expect(text).not.toContain("managedFields");
    const edited = await get("deployment plain");
    expect(edited).toMatchObject({ metadata: { generation: 2 } });
    expect(fieldOwners(edited)).toContain(
      'Update kubectl-edit {"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\\"name\\":\\"nginx\\"}":{"f:image":{}}}}}}}',
    );
  });

  test("sends nothing when nothing was changed", async () => {
    const before = await get("deployment untouched");
    expect(await edit(":", "deployment untouched")).toEqual(ok("", "Edit cancelled, no changes made.\n"));
    expect(await get("deployment untouched")).toEqual(before);
  });

  test("--subresource=status changes only the status", async () => {
    const step = sed("s/^status:.*/status: {replicas: 3, observedGeneration: 1}/", "s/replicas: 1$/replicas: 9/");
    expect(await edit(step, "deployment untouched --subresource=status")).toEqual(
      ok("deployment.apps/untouched edited\n"),
    );
    const edited = await get("deployment untouched");
    expect(edited).toMatchObject({
      metadata: { generation: 1 },
      spec: { replicas: 1 },
      status: { replicas: 3, observedGeneration: 1 },
    });
    expect(fieldOwners(edited)).toContain(
      'Update kubectl-edit/status {"f:status":{"f:observedGeneration":{},"f:replicas":{}}}',
    );
  });

  test("opens a refused text again with the reason, and saves it in a file when the user gives up", async () => {
    const step = 'grep -q "was not valid" "$1" || sed -i "s/replicas: 1$/replicas: -1/" "$1"';
    expect(await edit(step, "deployment refused")).toEqual(
      failed(
        'error: deployments.apps "refused" is invalid\nA copy of your changes has been stored to "KEPT"\nerror: Edit cancelled, no valid changes were saved.\n',
      ),
    );
    expect(
      (await seen()).startsWith(
        `${HEADER.trimEnd()}\n# deployments.apps "refused" was not valid:\n# * spec.replicas: Invalid value: -1: must be greater than or equal to 0\n#\napiVersion: apps/v1\n`,
      ),
    ).toBe(true);
    expect(await get("deployment refused")).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 } });
  });

  test("saves a text that is corrected in the second editor", async () => {
    const step = `if grep -q "was not valid" "$1"; then ${sed("s/replicas: -1/replicas: 4/")}; else ${sed("s/replicas: 1$/replicas: -1/")}; fi`;
    expect(await edit(step, "deployment refused")).toEqual(
      ok("deployment.apps/refused edited\n", 'error: deployments.apps "refused" is invalid\n'),
    );
    expect(await get("deployment refused")).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 4 } });
  });

  test("prints the server's errors about an immutable and an unknown field", async () => {
    await edit(`grep -q "was not valid" "$1" || ${sed("s/app: plain/app: other/")}`, "deployment plain");
    expect(await seen()).toContain(
      '# * spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable\n',
    );
    await edit(`grep -q "was not valid" "$1" || ${sed("s/replicas: 1$/replicaz: 1/")}`, "deployment plain");
    expect(await seen()).toContain('strict decoding error: unknown field "spec.replicaz"\n');
  });

  test("keeps changes that others made to the object meanwhile", async () => {
    const path = `${sed("s/replicas: 1$/replicas: 7/")}\nwhile [ ! -e go ]; do sleep 0.02; done`;
    const editing = edit(`touch waiting\n${path}`, "deployment raced");
    await expect
      .poll(() =>
        readFile(join(kubectl.folder, "waiting")).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await kubectl.ok("label deployment raced raced=yes");
    await writeFile(join(kubectl.folder, "go"), "");
    expect(await editing).toEqual(ok("deployment.apps/raced edited\n"));
    expect(await get("deployment raced")).toMatchObject({
      metadata: { labels: { raced: "yes" } },
      spec: { replicas: 7 },
    });
  });

  test("reports an outdated resourceVersion as a conflict, with the way to try again", async () => {
    const step = sed('s/^  a: "1"/  a: "2"/', 's/^  resourceVersion:.*/  resourceVersion: "1"/');
    expect(await edit(step, "configmap map")).toEqual(
      failed(
        'error: configmaps "map" could not be patched: Operation cannot be fulfilled on configmaps "map": the object has been modified; please apply your changes to the latest version and try again\nYou can run `kubectl replace -f KEPT` to try this update again.\n',
      ),
    );
  });

  test("edits several objects, in another format, shows the patch and saves the configuration", async () => {
    expect(
      await edit(sed('s/^    a: "1"/    a: "2"/', "s/replicas: 1$/replicas: 3/"), "deployment/plain configmap/map"),
    ).toEqual(ok("deployment.apps/plain edited\nconfigmap/map edited\n"));
    const { stdout } = await edit(sed('s/"a": "2"/"a": "3"/'), "configmap map -o json --output-patch");
    const [patch, ...shown] = stdout.split("\n");
    expect(patch).toBe('Patch: {"data":{"a":"3"}}');
    expect(JSON.parse(shown.join("\n"))).toMatchObject({ kind: "ConfigMap", data: { a: "3" } });
    expect(await edit(sed('s/^  a: "3"/  a: "4"/'), "configmap map --save-config --field-manager=me")).toEqual(
      ok("configmap/map edited\n"),
    );
    const saved = await get("configmap map");
    expect(
      JSON.parse(saved.metadata?.annotations?.["kubectl.kubernetes.io/last-applied-configuration"] ?? ""),
    ).toMatchObject({ data: { a: "4" } });
    expect(fieldOwners(saved)).toContain(
      'Update me {"f:data":{"f:a":{}},"f:metadata":{"f:annotations":{".":{},"f:kubectl.kubernetes.io/last-applied-configuration":{}}}}',
    );
  });

  test("edit-last-applied and create --edit work, and objects that cannot be edited are refused", async () => {
    await writeFile(join(kubectl.folder, "step"), sed('s/a: "1"/a: "2"/'));
    const body = JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "edited" },
      data: { a: "1" },
    });
    await writeFile(join(kubectl.folder, "map.json"), body);
    expect(await kubectl.ok("create -f map.json --edit")).toBe("configmap/edited created\n");
    expect(await kubectl.ok("get cm edited -o jsonpath={.data.a}")).toBe("2");
    await kubectl.run("apply -f map.json");
    expect(await kubectl.run("apply edit-last-applied cm/edited")).toEqual(ok("configmap/edited edited\n"));
    expect(await kubectl.ok("apply view-last-applied cm/edited -o json")).toContain('"a": "2"');

    expect(await edit(":", "pod nope")).toEqual(failed('Error from server (NotFound): pods "nope" not found\n'));
    expect(await edit(sed("s/^  name: map/  name: other/"), "configmap map")).toEqual(
      failed(
        'A copy of your changes has been stored to "KEPT"\nerror: At least one of apiVersion, kind and name was changed\n',
      ),
    );
    expect(await edit("exit 3", "configmap map")).toEqual(
      failed('error: there was a problem with the editor "./editor"\n'),
    );
  });
});
