import { parseYaml } from "../../machinery/text/yaml/read.js";
import { sortedJson } from "../../resource/encode-json.js";

/** Normalises an edited text, to compare two: JSON as it stands, YAML as JSON, and any other text without its comments. */
export function substanceOf(text: string): string {
  if (/^\s*\{/.test(text)) return text;
  try {
    return sortedJson(parseYaml(text));
  } catch {
    return withoutComments(text);
  }
}

/** Removes the lines that begin with `#`, except `#!`. */
export const withoutComments = (text: string): string =>
  text
    .split(/(?<=\n)/)
    .filter((line) => !/^[^\S\n]*#(?!!)/.test(line))
    .join("");

/** Converts a text to JSON. Throws the syntax error of a text that is neither JSON nor YAML. */
export function jsonOf(text: string): string {
  const substance = substanceOf(text);
  if (/^\s*\{/.test(substance)) return substance;
  try {
    return sortedJson(parseYaml(substance));
  } catch (error) {
    throw new Error((error as Error).message.replace(/^error converting YAML to JSON: /, ""), { cause: error });
  }
}

/** Whether any line is neither blank nor a comment. */
export const hasContent = (text: string): boolean => text.split("\n").some((line) => /^\s*[^\s#]/.test(line));
