import { YamlError } from "./yaml-error.js";

/**
 * kubectl makes JSON first and reads that as YAML, where some characters may not stand and U+0085 is a line break that
 * quoted text folds. Throws {@link YamlError}.
 */
export function asPassedThroughJson(text: string): string {
  if (forbidden.test(text)) throw new YamlError("yaml: control characters are not allowed");
  if (!text.includes("\u0085")) return text;
  return text.replace(/(?<![ \t])[ \t]*\u0085[ \t\u0085]*/g, (run) => {
    const breaks = run.split("\u0085").length - 1;
    return breaks === 1 ? " " : "\n".repeat(breaks - 1);
  });
}

const forbidden = /[\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;
