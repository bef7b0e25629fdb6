import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Why tests of the package are skipped; undefined when it is built. */
export const packageMissing: string | undefined = existsSync(join(root, "dist/types/cluster/index.d.ts"))
  ? undefined
  : "dist/ is not built whole; run npm run build";

/** An empty project with the packed tarball installed in it, as a user has it. */
export interface PackedProject {
  readonly folder: string;
  readonly tarball: string;
  /** Runs a program in the folder and answers its stdout. Throws when it fails. */
  run(command: string, ...args: string[]): string;
  /** Compiles files of the folder with `strict`. Throws, with the compiler's messages, when they are wrong. */
  compile(files: readonly string[], compilerOptions: Readonly<Record<string, unknown>>): void;
  remove(): void;
}

export function packedProject(): PackedProject {
  const folder = mkdtempSync(join(tmpdir(), "kubets-package-"));
  // dist is built already: packing must not build it a second time under the other tests.
  run(root, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder);
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  run(folder, "npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", tarball);
  return {
    folder,
    tarball,
    run: (command, ...args) => run(folder, command, ...args),
    compile(files, compilerOptions) {
      const options = {
        target: "es2023",
        lib: ["es2023", "esnext.disposable", "dom"],
        strict: true,
        skipLibCheck: false,
        types: ["node"],
        typeRoots: [join(root, "node_modules/@types")],
        ...compilerOptions,
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files }));
      run(folder, process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", folder);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function run(cwd: string, command: string, ...args: string[]): string {
  try {
    return execFileSync(command, args, {
      cwd,
      encoding: "utf8",
      env: { ...process.env, HOME: cwd, npm_config_cache: join(tmpdir(), "kubets-npm-cache") },
    });
  } catch (error) {
    // The compiler writes what is wrong to stdout, which the error's message leaves out.
    const { message, stdout = "" } = error as Error & { readonly stdout?: string };
    throw new Error(`${message}\n${stdout}`, { cause: error });
  }
}
