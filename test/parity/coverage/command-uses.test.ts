import { describe, expect, test } from "vitest";
import { commandUses, withoutFlag } from "./command-uses.js";
import { parseCommandList } from "./kubectl-flags.js";

const commands = parseCommandList(`kubectl
  -n --namespace VALUE
  -v --v VALUE
kubectl config
kubectl config use-context (use)
kubectl get
  -A --all-namespaces
  -f --filename VALUE
  -o --output VALUE
  --dry-run
  -w --watch
kubectl rollout
kubectl rollout status
  --watch
`);

const usesOf = (line: string) =>
  commandUses(line, commands).map(({ command, flags, decides }) => ({
    command: command.path,
    flags: flags.map(({ owner, name }) => (owner === "" ? `any ${name}` : name)),
    decides,
  }));

describe("finding kubectl's commands and flags in a shell line", () => {
  test("finds flags in each of their forms", () => {
    expect(usesOf("kubectl get cm -o yaml --filename=x -wA -fy --dry-run -n=z")).toEqual([
      {
        command: "get",
        flags: ["output", "filename", "watch", "all-namespaces", "dry-run", "any namespace"],
        decides: "yes",
      },
    ]);
  });

  test("takes no values, operands after -- and quoted text for flags", () => {
    expect(usesOf("kubectl get -o -w 'a -A' -- -f")).toEqual([{ command: "get", flags: ["output"], decides: "yes" }]);
  });

  test("finds subcommands by any name, behind global flags", () => {
    expect(usesOf("kubectl -n x config use here")[0]?.command).toBe("config use-context");
    expect(usesOf("kubectl rollout -n status status --watch")).toEqual([
      { command: "rollout status", flags: ["any namespace", "watch"], decides: "yes" },
    ]);
  });

  test("handles variable settings, pipes, lists, substitutions and redirections", () => {
    expect(
      usesOf(`A="b c" timeout -s INT 2 kubectl get $(kubectl config use x) >out 2>&1 -A | sed 's/kubectl get//'`),
    ).toEqual([
      { command: "get", flags: ["all-namespaces"], decides: "piped" },
      { command: "config use-context", flags: [], decides: "no" },
    ]);
    expect(usesOf("echo kubectl get; kubectl get -w && sh -c 'kubectl get -A'").map(({ flags }) => flags)).toEqual([
      ["watch"],
      ["all-namespaces"],
    ]);
  });

  test("does not count shell completion as a use of a command", () => {
    expect(usesOf("kubectl __complete get -A")).toEqual([]);
  });

  test("removes a flag with its value, everywhere it stands", () => {
    const line = "kubectl get -o yaml cm -wA --output=json | tee x";
    const drop = (name: string): string => {
      const flag = commandUses(line, commands)[0]?.flags.find((given) => given.name === name);
      return flag === undefined ? "" : withoutFlag(line, flag);
    };
    expect(drop("output").replace(/ +/g, " ")).toBe("kubectl get cm -wA | tee x");
    expect(drop("watch")).toBe("kubectl get -o yaml cm -A --output=json | tee x");
    expect(drop("all-namespaces")).toBe("kubectl get -o yaml cm -w --output=json | tee x");
  });
});
