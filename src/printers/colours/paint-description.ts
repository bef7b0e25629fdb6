/** The colours for the parts of a description. */
export interface DescriptionTheme {
  /** Keys, and the types of conditions. */
  readonly key: (text: string) => string;
  /** Headings, and the names of containers. */
  readonly heading: (text: string) => string;
  readonly cell: (column: string, text: string) => string;
  /** The status of a condition of this type. */
  readonly condition: (type: string, status: string) => string;
}

/** A key has no gap in it, as cells of a table have. */
const KEY_AND_VALUE = /^(\s*)([A-Z][^:\s]*(?: [^:\s]+)*)(:)(\s*)(.*)$/;
const EVENT = /^(\s+)(Normal|Warning)(\s{2,}.*)$/;
const UNDERLINED = /^\s*-[\s-]*$/;

/** What stands below a line of its own: conditions, or containers. */
interface Section {
  readonly of: "conditions" | "containers";
  /** Of the line above it; the section ends with the next line that is no further in. */
  readonly indent: number;
  /** Of its first line. */
  readonly inner: number;
}

const SECTION = /^\s*(?:(Conditions|Readiness Gates)|(?:Init |Ephemeral )?Containers):\s*$/;

/**
 * Colours a description: lines of `Key: value`, tables, and text. Conditions get the same colours whether they are rows of a table
 * or fields of a custom resource, and so do the names of containers.
 */
export function paintDescription(text: string, theme: DescriptionTheme): string {
  const lines = text.split("\n");
  let section: Section | undefined;
  const painted = lines.map((line, index) => {
    if (line.trim() === "") return line;
    if (section !== undefined && indentOf(line) <= section.indent) section = undefined;
    const inSection = section === undefined ? undefined : paintInSection(lines, index, section, theme);
    section = sectionBelow(lines, index) ?? section;
    return inSection ?? paintLine(line, lines[index + 1] ?? "", theme);
  });
  return painted.join("\n");
}

const indentOf = (line: string): number => line.search(/\S/);

function sectionBelow(lines: readonly string[], index: number): Section | undefined {
  const line = lines[index] ?? "";
  const found = SECTION.exec(line);
  if (found === null) return undefined;
  const [indent, inner] = [indentOf(line), indentOf(lines[index + 1] ?? "")];
  return inner <= indent ? undefined : { of: found[1] === undefined ? "containers" : "conditions", indent, inner };
}

function paintInSection(
  lines: readonly string[],
  index: number,
  { of, inner }: Section,
  theme: DescriptionTheme,
): string | undefined {
  const line = lines[index] ?? "";
  if (indentOf(line) !== inner) return undefined;
  return of === "conditions" ? paintCondition(lines, index, theme) : paintContainer(line, theme);
}

/** A line of a pod's or a template's description, or the field of a custom resource. */
const CONTAINER = /^(\s*)([a-z0-9][-a-z0-9.]*)(:)$/;
const NAME = /^(\s*)(Name:)(\s+)(.*)$/;

function paintContainer(line: string, { key, heading }: DescriptionTheme): string | undefined {
  const [, indent = "", name, colon = ""] = CONTAINER.exec(line) ?? [];
  if (name !== undefined) return indent + heading(name) + colon;
  const [, lead = "", label, room = "", value = ""] = NAME.exec(line) ?? [];
  return label === undefined ? undefined : lead + key(label) + room + heading(value);
}

const CONDITION_HEADINGS = /^\s*Type\s+Status\b/;
const CONDITION_ROW = /^(\s*)(\S+)(\s+)(\S+)(.*)$/;
const CONDITION_FIELD = /^(\s*)(Type|Status)(:)(\s+)(.*)$/;

function paintCondition(lines: readonly string[], index: number, theme: DescriptionTheme): string | undefined {
  const { key, heading, condition } = theme;
  const line = lines[index] ?? "";
  if (CONDITION_HEADINGS.test(line)) return heading(line);
  if (UNDERLINED.test(line)) return line;
  const [, lead = "", label, colon = "", gap = "", value = ""] = CONDITION_FIELD.exec(line) ?? [];
  if (label === "Type") return lead + key(label + colon) + gap + key(value);
  if (label === "Status") return lead + key(label + colon) + gap + condition(typeBelow(lines, index), value);
  if (KEY_AND_VALUE.test(line)) return undefined;
  const [, indent = "", type, room = "", status = "", rest = ""] = CONDITION_ROW.exec(line) ?? [];
  return type === undefined ? undefined : indent + key(type) + room + condition(type, status) + rest;
}

/** How far below a condition's status its type may stand: fields come in the order of the alphabet. */
const FIELDS = 10;

function typeBelow(lines: readonly string[], index: number): string {
  const inner = indentOf(lines[index] ?? "");
  for (const line of lines.slice(index + 1, index + 1 + FIELDS)) {
    const [, , label, , , value = ""] = indentOf(line) === inner ? (CONDITION_FIELD.exec(line) ?? []) : [];
    if (label === "Type") return value;
    if (label === "Status") break;
  }
  return "";
}

function paintLine(line: string, next: string, { key, heading, cell }: DescriptionTheme): string {
  if (UNDERLINED.test(next)) return heading(line);
  const [, lead = "", type = "", rest = ""] = EVENT.exec(line) ?? [];
  if (type !== "") return lead + cell("TYPE", type) + rest;
  const [, indent = "", name, colon = "", room = "", value = ""] = KEY_AND_VALUE.exec(line) ?? [];
  return name === undefined ? line : indent + key(name + colon) + room + cell(name, value);
}
