import { isFields, text } from "../machinery/meta/access.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { emitYaml } from "../machinery/text/yaml/emit.js";
import { isPrintableEvent, listItems, type Printer } from "./printer.js";

/**
 * -o decoded, kubets' own: the data of Secrets as YAML, text as it is. What is no text stays base64, with a comment that says so.
 * Each of several stands under a comment with its name. Throws for anything but Secrets, before it prints any.
 */
export function decodedSecretPrinter(): Printer {
  let printed = 0;
  return {
    print(object, out) {
      const shown = isPrintableEvent(object) ? object.object : object;
      const items = listItems(shown);
      const secrets = items ?? [shown];
      secrets.forEach(requireSecret);
      for (const secret of secrets) {
        printed += 1;
        if (printed > 1) out("---\n");
        if (items !== undefined || printed > 1) out(`# ${fullName(secret)}\n`);
        out(decoded(secret));
      }
    },
  };
}

function requireSecret({ apiVersion = "", kind = "", metadata }: KubeObject): void {
  if (apiVersion === "v1" && kind === "Secret") return;
  const name = metadata?.name ?? "";
  throw new Error(
    `the output format "decoded" is for Secrets only, and ${name === "" ? "this" : name} is a ${kind} of ${apiVersion}`,
  );
}

function fullName({ metadata: { namespace = "", name = "" } = {} }: KubeObject): string {
  return `${namespace}/${name}`;
}

function decoded({ data }: KubeObject): string {
  const entries = Object.entries(isFields(data) ? data : {});
  if (entries.length === 0) return "{}\n";
  return entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => line(key, text(value)))
    .join("");
}

function line(key: string, base64: string): string {
  const bytes = Buffer.from(base64, "base64");
  const found = asText(bytes);
  if (found !== undefined) return emitYaml({ [key]: found });
  return `# ${key} is not text: ${bytes.length} ${bytes.length === 1 ? "byte" : "bytes"}, in base64\n${emitYaml({ [key]: base64 })}`;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const NO_TEXT = /[^\P{Cc}\t\n\r]/u;

function asText(bytes: Uint8Array): string | undefined {
  try {
    const found = UTF8.decode(bytes);
    return NO_TEXT.test(found) ? undefined : found;
  } catch {
    return undefined;
  }
}
