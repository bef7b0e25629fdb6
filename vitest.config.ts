import { accessSync, constants, mkdirSync, readdirSync, readFileSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { LONGEST_TEST, PATIENCE } from "./test/helpers/patience.js";

/**
 * Long plays, and comparisons with the real kubectl of what rarely changes: `npm run test:long`, which CI runs beside `npm test`.
 */
const LONG = [
  // Its lines are dead for as long as a TLS handshake may take.
  "test/client/rest/dead-line.test.ts",
  "test/cluster/elected-processes.test.ts",
  "test/cluster/encryption/storages.test.ts",
  "test/controllers/crash/many-kills.test.ts",
  // They make every picture, and run every program and script of the docs.
  "test/docs/{api-servers,pictures,programs,scripts}.test.ts",
  "test/commands/storage/migrate.test.ts",
  "test/durability/**/*.test.ts",
  "test/faults/**/*.test.ts",
  "test/hostile/**/*.test.ts",
  "test/interop/{generated-clients,go,go-encryption,go-hashes,go-tls,java,python,rust}/**/*.test.ts",
  "test/interop/{controller-manager,kubernetes-1.20,life}/**/*.test.ts",
  "test/interop/streaming/{copies,kubernetes-1.20,large,on-a-terminal,port-forward}.test.ts",
  "test/interop/object-limit.test.ts",
  "test/kustomize/build.test.ts",
  "test/model/**/*.test.ts",
  // They ask the real program at each row.
  "test/node/scripted/{awk,dumps,find,grep,sed,text-tools}.test.ts",
  "test/parity/{first-half,previous-kubectl,second-half}.test.ts",
  // What it writes is built, tested and run.
  "test/project/**/*.test.ts",
  "test/release/**/*.test.ts",
  "test/scripts/by-kubectl.test.ts",
  "test/security/attacks/**/*.test.ts",
  "test/security/patterns/**/*.test.ts",
  "test/server/admission/quota-writers.test.ts",
  "test/server/back-pressure.test.ts",
  "test/server/authz/rbac/kubernetes-1.20.test.ts",
  "test/server/endpoints/contention/**/*.test.ts",
  "test/server/endpoints/long-list.test.ts",
  // The same suite as in memory and on disk, which take a quarter of its time.
  "test/server/list-watch/{etcd,files,postgres}.test.ts",
  // Deletions wait half a minute for a resource that cannot be listed.
  "test/server/storage/files/controllers.test.ts",
  "test/tools/run-tests.test.ts",
  "test/server/generic/floods.test.ts",
];

/** What needs neither a build nor another program: `npm run test:quick`, for the loop while writing. */
const QUICK = [
  "test/architecture.test.ts",
  "test/{actions,api,base,cli,client,controllers,machinery,polymorphic-helpers,printers,resource}/**/*.test.ts",
  "test/server/{builtin,filters,generic,registry,request}/**/*.test.ts",
];
const NOT_QUICK = [
  "test/client/rest/dead-line.test.ts",
  "test/client/informers/faults.test.ts",
  "test/client/leaderelection/{histories,processes}.test.ts",
  "test/controllers/crash/**/*.test.ts",
  "test/controllers/several-servers.test.ts",
  "test/machinery/patch/kubectl-local.test.ts",
  "test/machinery/wire/kubectl-oracle.test.ts",
];

/** What starts the program as people do; with KUBETS_PROGRAM=executable they run the executable. */
const EXECUTABLE = [
  "test/{completions,executable,scripts,terminal}/**/*.test.ts",
  "test/commands/cluster/{check,cluster,ended-start,etcd}.test.ts",
  "test/interop/life/{drain,rollout}.test.ts",
  "test/interop/streaming/on-a-terminal.test.ts",
  "test/faults/{answers,connections,editing,lines,pipes,signals}.test.ts",
];

/** The executable's transport, the node's API, and disk storage with bun's SQLite: run by bun itself. */
const BUN = [
  "test/client/transport/transport.test.ts",
  "test/commands/{port-forward,proxy}/**/*.test.ts",
  "test/interop/streaming/{kubectl,port-forward}.test.ts",
  "test/node/kubelet-api/**/*.test.ts",
  "test/server/storage/sqlite/**/*.test.ts",
  "test/durability/{api,crash,faults,flush}.test.ts",
];

/**
 * Files that run one after the other in a thread which loads modules once. To load them for each file would take as long as the
 * tests. What a file leaves behind in a module or in the process, the next one finds.
 */
const SHARING =
  /^test\/(actions|api|base|cli|client|controllers|docs|interop|machinery|node|polymorphic-helpers|printers|resource|security|server)\//;

/** Folders and files of those that have a thread of their own all the same. */
const ALONE = [
  // They measure the heap of their thread, or the memory of the process.
  "test/machinery/wire/spdy/spdy-connection.test.ts",
  "test/server/admission/webhook/bad-input.test.ts",
  "test/server/api-registry/live-api.test.ts",
  "test/server/extensions/bad-input.test.ts",
  "test/server/storage/snapshots.test.ts",
  // Their programs put the turns of their whole thread in order, as DRIVES_TURNS says of files.
  "test/controllers/crash/",
  // They wait for disks and other programs, not for modules.
  "test/interop/streaming/",
  "test/server/list-watch/",
  "test/server/storage/etcd/",
  "test/server/storage/postgres/",
  "test/server/storage/sqlite/",
];

/**
 * What a file with a driven clock or with vitest's timers calls. It puts the turns of its whole thread in order and waits until none is
 * left, which never comes while a cluster or an informer of an earlier file still works in that thread.
 */
const DRIVES_TURNS = /\b(?:manualClock|quiet|useFakeTimers)\(/;

/** Which files a mode runs; without one, `npx vitest run PATH` finds every file. */
const FILES: Readonly<Record<string, { readonly include: string[]; readonly exclude?: string[] }>> = {
  main: { include: ["test/**/*.test.ts"], exclude: [...LONG, "test/executable/**/*.test.ts"] },
  long: { include: LONG },
  executable: { include: EXECUTABLE, exclude: ["test/scripts/by-kubectl.test.ts"] },
  bun: { include: BUN },
  quick: { include: QUICK, exclude: NOT_QUICK },
};

/** The files that take longest begin first, so that no core waits for one of them in the end. */
const LONGEST = [
  "/parity/",
  "/faults/informers",
  "/faults/operator/",
  "/release/packages",
  "/scripts/",
  "/terminal/",
  "/completions/",
  "/commands/cluster/",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId, project }: TestSpecification): number => {
      // A thread is shared by files that are next to each other.
      if (!project.config.isolate) return LONGEST.length + 1;
      const found = LONGEST.findIndex((folder) => moduleId.includes(folder));
      return found === -1 ? LONGEST.length : found;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

// Commands write dates in the zone of the machine; expectations are in this one. Threads take it over.
process.env.TZ = "UTC";
process.env.KUBETS_DISK_FOLDER ??= process.env.TMPDIR ?? "/tmp";
const memory = memoryFolder();
if (memory !== undefined) process.env.TMPDIR = memory;

const sharing = testFiles().filter(mayShare);

/** Of every project. */
const everywhere = {
  pool: "threads" as const,
  // Much of the time goes by waiting for other programs: with a thread for each core a quarter of the machine is idle.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  sequence: { sequencer: LongestFirst },
  // Of those that say they may run beside others: parity, whose sessions often wait.
  maxConcurrency: 2,
  expect: { poll: { timeout: PATIENCE } },
  testTimeout: LONGEST_TEST,
  hookTimeout: LONGEST_TEST,
};

/** `npm test` has two projects, so that some files share a thread's modules. In other modes that runs in threads of their own. */
function filesAndThreads(mode: string) {
  const { include, exclude } = filesOf(mode);
  if (mode !== "main") return { include, exclude, isolate: mode !== "quick" };
  return {
    projects: [
      { test: { ...everywhere, name: "alone", include, exclude: [...exclude, ...sharing] } },
      { test: { ...everywhere, name: "sharing", include: sharing, exclude, isolate: false } },
    ],
  };
}

function filesOf(mode: string) {
  const { include = ["test/**/*.test.ts"], exclude = [] } = FILES[mode] ?? {};
  return { include: [...include], exclude: [...configDefaults.exclude, ...exclude] };
}

export default defineConfig(({ mode }) => ({
  test: {
    ...filesAndThreads(mode),
    ...everywhere,
  },
}));

function mayShare(file: string): boolean {
  if (!SHARING.test(file) || ALONE.some((path) => file.startsWith(path))) return false;
  return !DRIVES_TURNS.test(readFileSync(join(import.meta.dirname, file), "utf8"));
}

/** The paths of all test files, from the project's folder, with slashes. */
function testFiles(): string[] {
  return readdirSync(join(import.meta.dirname, "test"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => `test/${path.replaceAll("\\", "/")}`)
    .sort();
}

/**
 * A folder in memory for temporary files, where the system has one with room: on a disk half of the time of many tests is spent
 * on flushing what is deleted a second later. What is about disks asks for KUBETS_DISK_FOLDER.
 */
function memoryFolder(): string | undefined {
  const shared = "/dev/shm";
  try {
    accessSync(shared, constants.W_OK);
    const { bavail, bsize } = statfsSync(shared);
    if (bavail * bsize < 4 * 2 ** 30) return undefined;
    const folder = join(shared, `kubets-tests-${process.getuid?.()}`);
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch {
    return undefined;
  }
}
