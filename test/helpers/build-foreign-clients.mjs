// Fetches the dependencies of the programs in test/interop/<language> and builds the programs, into a cache folder, once for
// each state of their manifests and sources. `node test/helpers/build-foreign-clients.mjs [LANGUAGE...]` prints what it does.
// Where a tool is missing or a registry cannot be reached it prints the reason and exits 0: the tests of that language say so
// and skip. A program that does not compile is a fault: exit 1.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { toolsFolder } from "./fetch-real-tools.mjs";

const interop = join(import.meta.dirname, "..", "interop");
const cache = join(toolsFolder, "..", "interop");

/**
 * A language by the name of its folder. `manifests` decide what is fetched. `require` throws where a tool is missing.
 * `fetch` is the only step that needs a registry. `build` fills the program's folder, and `command` starts what is in it.
 */
const languages = {
  go: {
    manifests: ["go.mod", "go.sum"],
    require() {
      requireVersion("go", ["version"], 1, 26);
    },
    fetch({ source }) {
      run("go", ["mod", "download"], { cwd: source, env: GO });
    },
    build({ source, program }) {
      const options = { cwd: source, env: { ...GO, GOPROXY: "off" } };
      run("go", ["build", "-mod=readonly", "-o", join(program, "kubets-interop-go"), "."], options);
      run("go", ["build", "-mod=readonly", "-o", join(program, STREAMS), "./streams"], options);
      // The suite of an operator, with the files that it reads from its own folder.
      run("go", ["test", "-c", "-mod=readonly", "-o", join(program, OPERATOR_SUITE), "./operator"], options);
      cpSync(join(source, "operator/config"), join(program, "config"), { recursive: true });
    },
    command: ({ program }) => [join(program, "kubets-interop-go")],
  },
  // Apart from the other programs in Go: its libraries are of the version that is served.
  "go-hashes": {
    manifests: ["go.mod", "go.sum"],
    require() {
      requireVersion("go", ["version"], 1, 26);
    },
    fetch({ source }) {
      run("go", ["mod", "download"], { cwd: source, env: GO });
    },
    build({ source, program }) {
      const options = { cwd: source, env: { ...GO, GOPROXY: "off" } };
      run("go", ["build", "-mod=readonly", "-o", join(program, "kubets-interop-go-hashes"), "."], options);
    },
    command: ({ program }) => [join(program, "kubets-interop-go-hashes")],
  },
  // kube-apiserver's own reading of EncryptionConfigurations and of what is stored, of the version that is served.
  "go-encryption": {
    manifests: ["go.mod", "go.sum"],
    require() {
      requireVersion("go", ["version"], 1, 26);
    },
    fetch({ source }) {
      run("go", ["mod", "download"], { cwd: source, env: GO });
    },
    build({ source, program }) {
      const options = { cwd: source, env: { ...GO, GOPROXY: "off" } };
      run("go", ["build", "-mod=readonly", "-o", join(program, "kubets-interop-go-encryption"), "."], options);
    },
    command: ({ program }) => [join(program, "kubets-interop-go-encryption")],
  },
  // What Go's crypto/x509 says of certificates: it has no dependencies.
  "go-x509": {
    manifests: ["go.mod"],
    require() {
      requireVersion("go", ["version"], 1, 26);
    },
    fetch() {},
    build({ source, program }) {
      const options = { cwd: source, env: { ...GO, GOPROXY: "off" } };
      run("go", ["build", "-mod=readonly", "-o", join(program, "kubets-interop-go-x509"), "."], options);
    },
    command: ({ program }) => [join(program, "kubets-interop-go-x509")],
  },
  // Generators of clients, and the compiler that they were made for; what they generate is made of a running server's documents.
  "generated-clients": {
    manifests: ["package.json", "package-lock.json"],
    require() {
      requireVersion("npm", ["--version"], 9);
    },
    fetch({ source, dependencies }) {
      if (existsSync(dependencies)) return;
      fillFolder(dependencies, (folder) => {
        for (const file of ["package.json", "package-lock.json"]) cpSync(join(source, file), join(folder, file));
        run("npm", ["ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
      });
    },
    build({ source, dependencies, program }) {
      for (const file of ["generate.mjs", "program.ts"]) cpSync(join(source, file), join(program, file));
      symlinkSync(join(dependencies, "node_modules"), join(program, "node_modules"));
    },
    command: ({ program }) => [join(program, "generate.mjs")],
  },
  java: {
    manifests: ["pom.xml"],
    require() {
      requireVersion("javac", ["--version"], 17);
      requireVersion("mvn", ["--version"], 3);
    },
    fetch({ source, dependencies }) {
      if (existsSync(dependencies)) return;
      fillFolder(dependencies, (folder) => {
        const repository = join(folder, "repository");
        const goal = ["dependency:copy-dependencies", `-DoutputDirectory=${join(folder, "lib")}`];
        run("mvn", ["-q", "-B", "-f", join(source, "pom.xml"), `-Dmaven.repo.local=${repository}`, ...goal]);
        rmSync(repository, { recursive: true });
      });
    },
    build({ source, dependencies, program }) {
      const files = filesOf(source).filter((file) => file.endsWith(".java"));
      const options = ["--release", "17", "-d", program];
      run("javac", [...options, "-cp", join(dependencies, "lib", "*"), ...files.map((file) => join(source, file))]);
    },
    // The program lives for seconds, in which the second compiler has nothing to gain.
    command: ({ dependencies, program }) => [
      "java",
      "-XX:TieredStopAtLevel=1",
      "-XX:+UseSerialGC",
      "-cp",
      `${program}:${join(dependencies, "lib", "*")}`,
      "Main",
    ],
  },
  python: {
    manifests: ["requirements.txt"],
    require() {
      requireVersion("python3", ["--version"], 3, 10);
    },
    fetch({ source, dependencies }) {
      if (existsSync(dependencies)) return;
      fillFolder(dependencies, (folder) => {
        run("python3", ["-m", "venv", folder]);
        const requirements = join(source, "requirements.txt");
        run(join(folder, "bin", "python"), ["-m", "pip", "install", "--quiet", "--no-deps", "-r", requirements]);
      });
    },
    build({ source, program }) {
      for (const file of filesOf(source)) if (file.endsWith(".py")) cpSync(join(source, file), join(program, file));
    },
    command: ({ dependencies, program }) => [join(dependencies, "bin", "python"), join(program, "main.py")],
  },
  rust: {
    manifests: ["Cargo.toml", "Cargo.lock"],
    require() {
      requireVersion("cargo", ["--version"], 1, 89);
      requireVersion("cc", ["--version"], 1);
    },
    fetch({ source }) {
      run("cargo", ["fetch", "--quiet", "--locked"], { cwd: source });
    },
    build({ source, dependencies, program }) {
      const target = join(dependencies, "target");
      run("cargo", ["build", "--quiet", "--offline", "--locked", "--target-dir", target], { cwd: source });
      cpSync(join(target, "debug", "kubets-interop-rust"), join(program, "kubets-interop-rust"));
    },
    command: ({ program }) => [join(program, "kubets-interop-rust")],
  },
};

/** No other toolchain is fetched, and no C compiler needed. */
const GO = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" };

const OPERATOR_SUITE = "operator.test";
const STREAMS = "kubets-interop-go-streams";

/** The program of test/interop/go/streams, or why there is none. Builds nothing. */
export function goStreams() {
  const { command, missing } = foreignClient("go");
  return command === undefined ? { missing } : { program: join(dirname(command[0]), STREAMS) };
}

/** The test program of test/interop/go/operator, to be run in its folder, or why there is none. Builds nothing. */
export function operatorSuite() {
  const { command, missing } = foreignClient("go");
  if (command === undefined) return { missing };
  const folder = dirname(command[0]);
  return { folder, program: join(folder, OPERATOR_SUITE) };
}

/** The folder of generate.mjs of test/interop/generated-clients, beside its generators, or why there is none. Builds nothing. */
export function clientGenerators() {
  const { command, missing } = foreignClient("generated-clients");
  return command === undefined ? { missing } : { folder: dirname(command[0]) };
}

/** The command line that runs a language's program, or why there is none. Builds nothing. */
export function foreignClient(language) {
  const folders = foldersOf(language);
  if (existsSync(folders.program)) return { command: languages[language].command(folders) };
  const step = `node test/helpers/build-foreign-clients.mjs ${language}`;
  return { missing: `its program is not in ${folders.program}; run ${step}` };
}

/** Prints what it does. Throws where the program does not compile. */
function buildForeignClient(language) {
  const { require, fetch, build } = languages[language];
  const folders = foldersOf(language);
  if (existsSync(folders.program)) return print(`${language}: ${folders.program}`);
  try {
    require();
    timed(`${language}: dependencies`, () => fetch(folders));
  } catch (error) {
    return print(`the ${language} client cannot be had here: ${error.message}`);
  }
  timed(`${language}: program`, () => {
    fillFolder(folders.program, (program) => build({ ...folders, program }));
  });
}

/** The program's folder is inside that of the dependencies it was built against. */
function foldersOf(language) {
  const source = join(interop, language);
  const dependencies = join(cache, `${language}-${hashOf(source, languages[language].manifests)}`);
  return { source, dependencies, program: join(dependencies, `program-${hashOf(source, filesOf(source))}`) };
}

/** The program's sources and manifests; not vitest's file and what it reads, nor what a tool that was run by hand left behind. */
function filesOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => relative(folder, join(entry.parentPath, entry.name))).sort();
  return files.filter((file) => !/\.(test\.ts|jsonl)$/.test(file) && !/(^|\/)(target|__pycache__)\//.test(file));
}

function hashOf(folder, files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(folder, file)))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}

/** The folder appears whole or not at all, so that a step that was interrupted is not taken for a finished one. */
function fillFolder(folder, fill) {
  mkdirSync(join(folder, ".."), { recursive: true });
  const work = mkdtempSync(`${folder}.`);
  try {
    fill(work);
    if (!existsSync(folder)) renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function requireVersion(program, args, major, minor = 0) {
  let output;
  try {
    output = execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    throw new Error(`there is no ${program}`);
  }
  const [, ...found] = /(\d+)(?:\.(\d+))?/.exec(stripVTControlCharacters(output)) ?? [];
  const [foundMajor = 0, foundMinor = 0] = found.map((number) => Number(number ?? 0));
  if (foundMajor > major || (foundMajor === major && foundMinor >= minor)) return;
  throw new Error(`${program} ${major}.${minor} is needed, this is ${foundMajor}.${foundMinor}`);
}

/** Throws with everything that the program printed. */
function run(program, args, options = {}) {
  try {
    execFileSync(program, args, { ...options, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch ({ message, stdout, stderr }) {
    throw new Error(`${message.split("\n")[0]}\n${stdout}${stderr}`);
  }
}

function timed(title, step) {
  print(`${title} ...`);
  const start = performance.now();
  step();
  print(`${title}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

if (process.argv[1]?.endsWith("build-foreign-clients.mjs")) {
  const chosen = process.argv.slice(2);
  for (const language of chosen.length > 0 ? chosen : Object.keys(languages)) buildForeignClient(language);
}
