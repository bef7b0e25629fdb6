import { readText } from "../base/files/read-file.js";
import type { ScalarNode, YamlNode } from "../machinery/text/yaml/nodes.js";
import { resolvePlain } from "../machinery/text/yaml/scalars.js";
import { YamlError } from "../machinery/text/yaml/yaml-error.js";
import { readYaml11 } from "../machinery/text/yaml/yaml11/parser.js";
import type { ImageScript } from "../node/scripted/images/image-script.js";
import { type ImageScriptText, scriptFault, textScript } from "../node/scripted/images/text-script.js";

/** Scripts for images: a list, or the path of a YAML file that has one. Throws an error that names the file, the line and the reason. */
export async function openImageScripts(given: string | readonly ImageScriptText[]): Promise<readonly ImageScript[]> {
  if (typeof given === "string") return readEntries(given, await readText(given)).map(textScript);
  return given.map((entry, index) => {
    const fault = scriptFault(entry.script);
    if (fault !== undefined) throw new Error(`imageScripts[${index}].script: line ${fault.line}: ${fault.message}`);
    if (entry.image === "") throw new Error(`imageScripts[${index}].image is empty`);
    return textScript(entry);
  });
}

/** What a table of scripts is. */
const SHAPE = 'give a list of {image: "registry.example.com/tools/*", script: "echo hello"}';

function readEntries(file: string, text: string): readonly ImageScriptText[] {
  const failed = (line: number | undefined, reason: string): Error =>
    new Error(`${file}: ${line === undefined ? "" : `line ${line}: `}${reason}`);
  let root: YamlNode | undefined;
  try {
    root = readYaml11(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw failed(error.line, error.message);
  }
  if (root === undefined) throw failed(undefined, `the file is empty; ${SHAPE}`);
  if (root.kind !== "sequence") throw failed(root.line, `not a list; ${SHAPE}`);
  return root.items.map((item) => {
    if (item.kind !== "mapping") throw failed(item.line, `not an object; ${SHAPE}`);
    const fields = new Map<string, ScalarNode>();
    for (const [key, node] of item.pairs) {
      const name = key.kind === "scalar" ? key.value : "";
      if (name !== "image" && name !== "script") {
        throw failed(key.line, `unknown field ${JSON.stringify(name)}; an entry has image and script`);
      }
      if (fields.has(name)) throw failed(key.line, `${name} is there twice`);
      const value = node.kind === "alias" ? node.target : node;
      if (!isText(value)) throw failed(node.line, `${name} must be a string`);
      fields.set(name, value);
    }
    const [image, script] = [fields.get("image"), fields.get("script")];
    if (image === undefined || script === undefined) {
      throw failed(item.line, `the entry has no ${image === undefined ? "image" : "script"}`);
    }
    if (image.value === "") throw failed(image.line, "image is empty");
    const fault = scriptFault(script.value);
    if (fault !== undefined) throw failed(lineIn(script, fault.line), `script: ${fault.message}`);
    return { image: image.value, script: script.value };
  });
}

const isText = (node: YamlNode): node is ScalarNode =>
  node.kind === "scalar" && (!node.plain || resolvePlain(node.value).tag === "str");

/** The line of the file for a line of a script, which a block begins on the line behind its indicator. */
const lineIn = ({ line, value }: ScalarNode, inScript: number): number | undefined =>
  line === undefined ? undefined : line + inScript - (value.includes("\n") ? 0 : 1);
