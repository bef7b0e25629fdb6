import { type Line, SECTIONS, type VersionData } from "./version-data.js";

/** The parts of the data that the routine reads where they are there, and what it cannot tell without them. */
const PARTS: readonly (readonly [given: (data: VersionData) => boolean, what: string])[] = [
  [
    ({ gates }) => gates !== undefined,
    "kubernetes-X.Y-gates.json: stages and defaults of feature gates. Only gates that marks name are compared.",
  ],
  [
    ({ components }) => components?.flags !== undefined,
    'kubernetes-X.Y-components.json, "flags": flags of kube-apiserver, kube-controller-manager and kube-scheduler are not compared.',
  ],
  [
    ({ components }) => components?.metrics !== undefined,
    'kubernetes-X.Y-components.json, "metrics": metrics of the three programs are not compared.',
  ],
  [
    ({ components }) => components?.flowControl !== undefined,
    'kubernetes-X.Y-components.json, "flowControl": the objects of priority and fairness are not compared.',
  ],
];

/** What no data tell: it is read in the release notes. */
const NEVER = "Messages of errors and warnings in code, table columns, short names and categories, kubectl's texts.";

/** The list as a person works it off, in sections; lines of one subject stand together. */
export function report(next: VersionData, before: VersionData, lines: readonly Line[]): string {
  const missing = PARTS.filter(([given]) => !given(next)).map(([, what]) => what);
  const told = lines.length === 0 ? "nothing is left to decide" : `${lines.length} things to decide`;
  const sections = Object.entries(SECTIONS).flatMap(([section, title]) => {
    const own = lines.filter((one) => one.section === section);
    return own.length === 0 ? [] : ["", `${title}: ${own.length}`, ...bySubject(own)];
  });
  return [
    `Kubernetes ${next.name} beside ${before.name}: ${told}.`,
    ...sections,
    "",
    ...(missing.length === 0 ? [] : ["The data do not have:", ...missing.map((one) => `  ${one}`)]),
    `No data tell: ${NEVER}`,
    "",
  ].join("\n");
}

function bySubject(lines: readonly Line[]): readonly string[] {
  const subjects = new Map<string, Line[]>();
  for (const one of lines) subjects.set(one.subject, [...(subjects.get(one.subject) ?? []), one]);
  return [...subjects].flatMap(([subject, own]) => [
    `  ${subject}`,
    ...own.map(({ text, where }) => `      ${text}  [${where}]`),
  ]);
}
