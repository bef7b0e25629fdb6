/** A sample of Prometheus' text. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the samples of Prometheus' text. */
export function samplesOf(text: string): readonly Sample[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", pairs = "", value = ""] = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const labels = [...pairs.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, label = "", text = ""]) => [
        label,
        text.replace(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character)),
      ]);
      return { name, labels: Object.fromEntries(labels) as Record<string, string>, value: Number(value) };
    });
}

/** The samples of a name that have all of these labels. */
export const samplesWith = (
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): readonly Sample[] =>
  samplesOf(text).filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );

/** The sum of the samples of a name that have all of these labels; 0 where there are none. */
export const total = (text: string, name: string, labels: Readonly<Record<string, string>> = {}): number =>
  samplesWith(text, name, labels).reduce((sum, { value }) => sum + value, 0);

/** The names of the metrics, as their TYPE lines have them, with their types. */
export const typesOf = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]));
