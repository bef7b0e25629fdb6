// Release notes: the changelog's entry, and from the log the subjects of the commits since the last version's tag, by the part of
// the project that each changed most.
import { execFileSync } from "node:child_process";

/** Parts in the order of the notes, with the folders that belong to each; what is in no folder here is in the last. */
const PARTS = [
  ["Command line", /^(?:src\/(?:main|cli|commands|printers|resource|kustomize|kinds)\b|completions\/)/],
  ["Server", /^src\/(?:server|cluster|controllers)\//],
  ["Library", /^src\/(?:client|actions|api|machinery|base|index)\b/],
  ["Packages and build", /^(?:bin|tools|packages|build\.mjs)\b/],
  ["Tests, measurements and documents", /./],
];

/**
 * The changelog's entry alone where no version is tagged: the commits of a first release are the whole history.
 * @param {string} root The project's checkout.
 * @param {string} version The release's.
 * @param {string} changelog The text of CHANGELOG.md: what the release says to users comes first.
 */
export function releaseNotes(root, version, changelog) {
  const entry = `# kubets ${version}\n\n${entryOf(changelog, version)}`;
  const since = lastTag(root);
  if (since === undefined) return entry;
  const commits = commitsSince(root, since);
  const parts = PARTS.map(([title]) => ({ title, subjects: commits.filter(({ part }) => part === title) }));
  const sections = parts
    .filter(({ subjects }) => subjects.length > 0)
    .map(({ title, subjects }) => `### ${title}\n\n${subjects.map(({ subject }) => `- ${subject}`).join("\n")}\n`);
  return [entry, `## Commits since ${since} (${commits.length})\n`, ...sections].join("\n");
}

/** The text below the version's heading, up to the next version. Throws where CHANGELOG.md has none. */
function entryOf(changelog, version) {
  const entry = changelog.split(/^## /m).find((section) => section.startsWith(`[${version}]`));
  if (entry === undefined) throw new Error(`CHANGELOG.md has no entry for ${version}`);
  return `${entry.slice(entry.indexOf("\n") + 1).trim()}\n`;
}

function lastTag(root) {
  try {
    return git(root, "describe", "--tags", "--abbrev=0", "--match=v*").trim();
  } catch {
    return undefined;
  }
}

function commitsSince(root, tag) {
  const log = git(root, "log", "--no-merges", "--name-only", "--format=%x00%s", `${tag}..HEAD`);
  return log
    .split("\0")
    .slice(1)
    .map((text) => {
      const [subject, ...files] = text.split("\n").filter((line) => line !== "");
      return { subject, part: partOf(files) };
    });
}

/** The part with most of the files; tests and documents count only where a commit changed nothing else. */
function partOf(files) {
  const counts = PARTS.map(([title]) => ({ title, count: 0 }));
  for (const file of files) counts[PARTS.findIndex(([, pattern]) => pattern.test(file))].count++;
  const [last, ...parts] = counts.reverse();
  const most = parts.reverse().reduce((a, b) => (b.count > a.count ? b : a));
  return most.count > 0 ? most.title : last.title;
}

function git(root, ...words) {
  return execFileSync("git", words, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 26,
  });
}
