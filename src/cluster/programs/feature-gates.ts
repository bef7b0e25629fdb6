/**
 * The gates of --feature-gates by name, each given as NAME=true or kube:NAME=true, several parted by commas. Throws in component-base's words
 * for what is none.
 */
export function readFeatureGates(values: readonly string[]): ReadonlyMap<string, boolean> {
  const gates = new Map<string, boolean>();
  for (const pair of values.flatMap((value) => value.split(",")).map((one) => one.trim())) {
    if (pair === "") continue;
    const [, name = "", value] = /^(?:kube:)?([^=]*)(?:=(.*))?$/.exec(pair) ?? [];
    if (value === undefined) throw new Error(`missing bool value for ${name}`);
    const isOn = BOOLEANS.get(value.trim());
    if (isOn === undefined)
      throw new Error(
        `invalid value of ${name}: ${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`,
      );
    gates.set(name.trim(), isOn);
  }
  return gates;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);
