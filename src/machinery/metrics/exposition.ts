import { dictionary } from "../../base/collections/dictionary.js";
import type { Steps } from "../../base/async/steps.js";
import { formatG } from "../text/go/format-g.js";
import type { Family, FamilyDefinition } from "./family.js";

/** A form in which Prometheus reads metrics. */
export interface Exposition {
  readonly contentType: string;
  /** Writes the metrics. */
  write(families: readonly Family[]): Steps<string>;
}

/** Chooses the exposition format by the Accept header: OpenMetrics if the header prefers it to text, else Prometheus' text format. */
export function expositionFor(accept = ""): Exposition {
  let best: { readonly exposition: Exposition; readonly quality: number } = { exposition: TEXT, quality: 0 };
  for (const entry of accept.split(",")) {
    const [type = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    const quality = Number(parameters.find((part) => part.startsWith("q="))?.slice(2) ?? "1");
    const version = parameters.find((part) => part.startsWith("version="))?.slice("version=".length);
    const isOpen =
      type === "application/openmetrics-text" && (version === undefined || version === "1.0.0" || version === "0.0.1");
    const isText = ["text/plain", "text/*", "*/*"].includes(type) && (version === undefined || version === "0.0.4");
    if ((!isOpen && !isText) || !(quality > best.quality)) continue;
    best = { exposition: isOpen ? OPEN_METRICS : TEXT, quality };
  }
  return best.exposition;
}

const TEXT: Exposition = {
  contentType: "text/plain; version=0.0.4; charset=utf-8",
  *write(families) {
    const parts: string[] = [];
    for (const family of families) {
      const { name, type } = family.definition;
      parts.push(`# HELP ${name} ${helpOf(family.definition).replace(/[\\\n]/g, escaped)}\n# TYPE ${name} ${type}\n`);
      yield* writeSeries(parts, family, name, numberText);
    }
    return parts.join("");
  },
};

/** A counter's name ends in "_total" there; one of Kubernetes' that does not is of unknown type. */
const OPEN_METRICS: Exposition = {
  contentType: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  *write(families) {
    const parts: string[] = [];
    for (const family of families) {
      const { name, type } = family.definition;
      const isTotal = type === "counter" && name.endsWith("_total");
      const shown = isTotal ? name.slice(0, -"_total".length) : name;
      const openType = type === "counter" && !isTotal ? "unknown" : type;
      const help = helpOf(family.definition).replace(/[\\\n"]/g, escaped);
      parts.push(`# HELP ${shown} ${help}\n# TYPE ${shown} ${openType}\n`);
      yield* writeSeries(parts, family, name, openNumberText);
    }
    parts.push("# EOF\n");
    return parts.join("");
  },
};

/** Kubernetes' prefixes of a help: its stability, and since when the metric is deprecated. */
function helpOf({ help, stability, deprecated }: FamilyDefinition): string {
  const text = deprecated === undefined ? help : `(Deprecated since ${deprecated}) ${help}`;
  return stability === undefined ? text : `[${stability}] ${text}`;
}

function* writeSeries(parts: string[], family: Family, name: string, text: (value: number) => string): Steps<void> {
  const { type, labels = [] } = family.definition;
  const order = labels.map((_, index) => index).sort((a, b) => ((labels[a] ?? "") < (labels[b] ?? "") ? -1 : 1));
  for (const series of sortedSeries(family, order)) {
    const values = family.labelsOf(series);
    const pairs = order.map((index) => `${labels[index] ?? ""}="${labelText(values[index] ?? "")}"`).join(",");
    const numbers = family.numbersOf(series);
    if (type === "histogram") writeHistogram(parts, name, pairs, family.bounds, numbers, text);
    else parts.push(`${name}${pairs === "" ? "" : `{${pairs}}`} ${text(numbers[0] ?? 0)}\n`);
    yield;
  }
}

function writeHistogram(
  parts: string[],
  name: string,
  pairs: string,
  bounds: readonly number[],
  numbers: Float64Array,
  text: (value: number) => string,
): void {
  const before = pairs === "" ? "" : `${pairs},`;
  const labels = pairs === "" ? "" : `{${pairs}}`;
  let count = 0;
  bounds.forEach((bound, place) => {
    count += numbers[place] ?? 0;
    parts.push(`${name}_bucket{${before}le="${text(bound)}"} ${countText(count)}\n`);
  });
  count += numbers[bounds.length] ?? 0;
  parts.push(`${name}_bucket{${before}le="+Inf"} ${countText(count)}\n`);
  parts.push(`${name}_sum${labels} ${text(numbers[bounds.length + 1] ?? 0)}\n`);
  parts.push(`${name}_count${labels} ${countText(count)}\n`);
}

/** The series in the order of their labels' values, the labels by name. */
function sortedSeries(family: Family, order: readonly number[]): readonly number[] {
  const all = Array.from({ length: family.size }, (_, series) => series);
  return all.sort((one, other) => {
    const [a, b] = [family.labelsOf(one), family.labelsOf(other)];
    for (const index of order) {
      const [x = "", y = ""] = [a[index], b[index]];
      if (x !== y) return x < y ? -1 : 1;
    }
    return 0;
  });
}

const countText = (count: number): string => String(count);

/** A float as Go's client library writes it. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return formatG(value);
}

/** A float of OpenMetrics shows that it is one. */
function openNumberText(value: number): string {
  const text = numberText(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

const labelText = (value: string): string => value.replace(/[\\\n"]/g, escaped);

const ESCAPES: Readonly<Record<string, string>> = dictionary({ "\\": "\\\\", "\n": "\\n", '"': '\\"' });

const escaped = (character: string): string => ESCAPES[character] ?? character;
