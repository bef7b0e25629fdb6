// Every code block of README.md, CONTRIBUTING.md and docs/*.md is classified by its info string, and as right as can be seen without
// running it. test/package.test.ts compiles the code against the packed package; test/docs/programs.test.ts and
// test/docs/scripts.test.ts run what is whole (npm run test:long).
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { afterAll, describe, expect, test } from "vitest";
import {
  decodeEncryptionConfiguration,
  encryptionErrors,
} from "../../src/cluster/encryption/encryption-configuration.js";
import { openImageScripts } from "../../src/cluster/image-scripts.js";
import { readAdmissionOptions } from "../../src/cluster/options/admission-configuration.js";
import { readTracingConfiguration } from "../../src/cluster/tracing/tracing-configuration.js";
import { readConfigurationDocument } from "../../src/machinery/text/yaml/configuration-document.js";
import { decodeAuthenticationConfiguration } from "../../src/server/authn/configuration/authentication-configuration.js";
import { validateAuthenticationConfiguration } from "../../src/server/authn/configuration/validate.js";
import { readTokenFile } from "../../src/server/authn/token-file.js";
import { decodeConfiguration } from "../../src/server/authz/configuration/load-configuration.js";
import { configurationFaults } from "../../src/server/authz/configuration/validate-configuration.js";
import { commandFaults } from "./command-faults.js";
import { type Block, documentBlocks, type Kind, placeOf } from "./markdown-blocks.js";

const blocks = documentBlocks();
const of = (...kinds: readonly Kind[]): readonly (readonly [place: string, block: Block])[] =>
  blocks.filter(({ kind }) => kinds.includes(kind)).map((block) => [placeOf(block), block]);

describe("shell commands in the docs", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-docs-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(of("script", "clone script", "script fragment"))(
    "have no syntax errors: %s",
    (place, { language, text }) => {
      const shell = language === "sh" ? "bash" : language;
      const script = join(folder, "script");
      writeFileSync(script, text);
      const { error, status, stderr } = spawnSync(shell, ["-n", script], { encoding: "utf8" });
      if (error !== undefined) {
        process.stdout.write(`the syntax of ${place} is not checked: ${shell} is not installed\n`);
        return;
      }
      expect(stderr).toBe("");
      expect(status).toBe(0);
    },
  );

  test.each(of("script", "clone script", "script fragment", "make fragment", "document fragment"))(
    "call kubets and kubectl with commands, flags and operands that exist: %s",
    async (_, block) => {
      expect(await commandFaults(commandsIn(block))).toEqual([]);
    },
  );
});

/** Of a Makefile the recipes, of YAML the values of `run`, as workflows have them. */
function commandsIn({ kind, text }: Block): string {
  if (kind === "make fragment") {
    return [...text.matchAll(/^\t(.*)$/gm)].map(([, line = ""]) => line.replaceAll("$(shell ", "$(")).join("\n");
  }
  if (kind === "document fragment") {
    return [...text.matchAll(/^[- ]*run: (.*)$/gm)].map(([, line = ""]) => line).join("\n");
  }
  return text;
}

describe("manifests and configuration files in the docs", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-docs-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(of("document fragment"))("are YAML: %s", (_, { text }) => {
    expect(loadAll(text)).not.toEqual([]);
  });

  test.each(of("document"))("are accepted by kubets or a cluster: %s", async (place, { text }) => {
    const [first] = loadAll(text) as readonly unknown[];
    const file = join(folder, "document.yaml");
    writeFileSync(file, text);
    if (Array.isArray(first)) {
      expect(await openImageScripts(file)).toHaveLength(first.length);
      return;
    }
    const { apiVersion, kind } = first as { readonly apiVersion?: string; readonly kind?: string };
    if (apiVersion?.startsWith("apiserver.config.k8s.io/") !== true) return await applies(file);
    if (kind === "AuthorizationConfiguration") {
      const faults = configurationFaults(decodeConfiguration(Buffer.from(text)));
      // The kubeconfigs of webhooks are on the reader's machine.
      expect(faults.map(({ detail }) => detail).filter((detail) => !detail.startsWith("error loading file: "))).toEqual(
        [],
      );
    } else if (kind === "AuthenticationConfiguration") {
      expect(validateAuthenticationConfiguration(decodeAuthenticationConfiguration(text), []).errors).toEqual([]);
    } else if (kind === "EncryptionConfiguration") {
      expect(encryptionErrors(decodeEncryptionConfiguration(readConfigurationDocument(text)), true)).toEqual([]);
    } else if (kind === "TracingConfiguration") {
      await readTracingConfiguration(file);
    } else if (kind === "AdmissionConfiguration") {
      await readAdmissionOptions({ configurationFile: file });
    } else {
      throw new Error(`${place}: no test reads ${kind}`);
    }
  });

  /** Applies objects to a cluster of their own. */
  async function applies(file: string): Promise<void> {
    const [{ kubernetesClient }, { startCluster }] = await Promise.all([
      import("../../src/index.js"),
      import("../../src/cluster/index.js"),
    ]);
    await using cluster = await startCluster({ port: false });
    await using client = kubernetesClient(cluster);
    const applied = await client.applyFiles(file);
    expect(applied).not.toEqual([]);
  }

  test.each(of("tokens"))("are a valid file of tokens: %s", (_, { text }) => {
    const { users, warnings } = readTokenFile("tokens.csv", text);
    expect(users.size).toBeGreaterThan(0);
    expect(warnings).toEqual([]);
  });
});
