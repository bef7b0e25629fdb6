import { describe, expect, test } from "vitest";
import { startScripted } from "../../helpers/scripted-container.js";

interface Row {
  readonly name: string;
  readonly script: string;
  readonly stdin?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly code?: number;
}

const rows: readonly Row[] = [
  { name: "prints words", script: "echo a  b", stdout: "a b\n" },
  { name: "keeps quoted blanks", script: `echo "a  b" 'c  d'`, stdout: "a  b c  d\n" },
  { name: "expands variables", script: "X=1; Y=$X-2; echo $Y ${Y} ${Z:-none} ${#Y}", stdout: "1-2 1-2 none 3\n" },
  {
    name: "splits what a variable expands to, not what is quoted",
    script: `X='a b'; for w in $X "$X"; do echo "<$w>"; done`,
    stdout: "<a>\n<b>\n<a b>\n",
  },
  {
    name: "runs after success and after failure",
    script: "true && echo yes; false || echo no; false && echo never",
    stdout: "yes\nno\n",
    code: 1,
  },
  { name: "has the code of the last command", script: "exit 3", code: 3 },
  { name: "shows the last code", script: "false; echo $?; (exit 7); echo $?", stdout: "1\n7\n" },
  { name: "pipes", script: "printf 'b\\na\\n' | cat | wc -l", stdout: "2\n" },
  { name: "ends a writer whose reader has gone", script: "yes | head -n 2", stdout: "y\ny\n" },
  {
    name: "writes, appends and reads files",
    script: "echo one > /tmp/f; echo two >> /tmp/f; cat < /tmp/f; cat /tmp/f | wc -c",
    stdout: "one\ntwo\n8\n",
  },
  {
    name: "joins stderr to stdout",
    script: "ls /nope 2>&1 >/dev/null | cat",
    stdout: "ls: cannot access '/nope': No such file or directory\n",
  },
  { name: "drops stderr", script: "ls /nope 2>/dev/null; echo $?", stdout: "2\n" },
  { name: "writes to stderr", script: "echo oops >&2", stderr: "oops\n" },
  { name: "does not find a program", script: "nope", stderr: "sh: 1: nope: not found\n", code: 127 },
  { name: "names the line", script: "true\nnope", stderr: "sh: 2: nope: not found\n", code: 127 },
  { name: "refuses what is no script", script: "echo (", stderr: 'sh: 1: Syntax error: "(" unexpected\n', code: 2 },
  {
    name: "refuses a quote without an end",
    script: "echo 'a",
    stderr: "sh: 1: Syntax error: Unterminated quoted string\n",
    code: 2,
  },
  {
    name: "refuses an if without its end",
    script: "if true; then echo",
    stderr: 'sh: 1: Syntax error: end of file unexpected (expecting "fi")\n',
    code: 2,
  },
  { name: "chooses with if", script: "if false; then echo a; elif true; then echo b; else echo c; fi", stdout: "b\n" },
  {
    name: "loops with while and counts",
    script: "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
    stdout: "0\n1\n2\n",
  },
  {
    name: "leaves loops",
    script:
      "for i in 1 2 3; do [ $i = 2 ] && break; echo $i; done; for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; done",
    stdout: "1\n1\n3\n",
  },
  { name: "reads lines", script: "while read a b; do echo $b-$a; done", stdin: "1 2 3\n4 5\n", stdout: "2 3-1\n5-4\n" },
  { name: "chooses with case", script: "case abc in x) echo x;; a*|b) echo a;; *) echo other;; esac", stdout: "a\n" },
  { name: "substitutes commands", script: "echo $(echo a; echo b) `echo c`", stdout: "a b c\n" },
  { name: "computes", script: "echo $((2 + 3 * (4 - 1))) $((7 / 2)) $((7 % 2)) $((1 < 2))", stdout: "11 3 1 1\n" },
  {
    name: "matches file names",
    script: "cd /tmp; touch b.txt a.txt c.md; echo *.txt '*.txt' *.none",
    stdout: "a.txt b.txt *.txt *.none\n",
  },
  {
    name: "changes the folder",
    script: "mkdir -p /a/b; cd /a/b; pwd; cd ..; pwd; cd -  ; pwd",
    stdout: "/a/b\n/a\n/a/b\n/a/b\n",
  },
  {
    name: "cannot change to what is not there",
    script: "cd /nope; echo $?",
    stdout: "2\n",
    stderr: "sh: 1: cd: can't cd to /nope\n",
  },
  { name: "keeps a subshell's changes inside", script: "X=1; (X=2; cd /tmp); echo $X; pwd", stdout: "1\n/\n" },
  { name: "groups", script: "{ echo a; echo b; } | wc -l", stdout: "2\n" },
  { name: "exports", script: "A=1; export B=2; env | grep '^[AB]='", stdout: "B=2\n" },
  { name: "passes variables to one command", script: 'A=1 env | grep ^A=; echo "<$A>"', stdout: "A=1\n<>\n" },
  {
    name: "stops at the first failure with -e",
    script: "set -e; false || true; if false; then :; fi; false; echo never",
    code: 1,
  },
  { name: "negates", script: "! true; echo $?; ! false; echo $?", stdout: "1\n0\n" },
  {
    name: "cuts prefixes and suffixes",
    script: "f=/a/b.tar.gz; echo ${f##*/} ${f%.*} ${f%%.*} ${f#/}",
    stdout: "b.tar.gz /a/b.tar /a/b a/b.tar.gz\n",
  },
  { name: "runs a trap at its end", script: "trap 'echo bye' EXIT; echo hi; exit 4", stdout: "hi\nbye\n", code: 4 },
  { name: "ignores comments and joined lines", script: "echo a # b\necho c \\\n d", stdout: "a\nc d\n" },
  { name: "runs in the background and waits", script: "echo a & wait; echo b", stdout: "a\nb\n" },
  { name: "evaluates", script: "x='echo a b'; eval \"$x\"", stdout: "a b\n" },
  {
    name: "finds where a program is",
    script: "command -v cat; command -v nope || echo none",
    stdout: "/usr/bin/cat\nnone\n",
  },
  {
    name: "cannot open what is not there",
    script: "cat < /nope; echo $?",
    stdout: "2\n",
    stderr: "sh: 1: cannot open /nope: No such file\n",
  },
  {
    name: "cannot create below what is not there",
    script: "echo a > /x/y; echo $?",
    stdout: "2\n",
    stderr: "sh: 1: cannot create /x/y: Directory nonexistent\n",
  },
  {
    name: "runs a script file",
    script: "printf '#!/bin/sh\\necho $1-$#\\n' > /tmp/s; chmod +x /tmp/s; /tmp/s a b; sh /tmp/s c",
    stdout: "a-2\nc-1\n",
  },
  {
    name: "does not run a file that is not executable",
    script: "echo hi > /tmp/s; /tmp/s",
    stderr: "sh: 1: /tmp/s: Permission denied\n",
    code: 126,
  },
  {
    name: "passes all arguments on",
    script: 'set -- "a b" c; for x in "$@"; do echo "<$x>"; done',
    stdout: "<a b>\n<c>\n",
  },
];

describe("the shell of scripted containers", () => {
  test.each(rows)("$name: $script", async ({ script, stdin, stdout = "", stderr = "", code = 0 }) => {
    const { sh } = await startScripted();
    expect(await sh(script, stdin)).toEqual({ stdout, stderr, code });
  });

  test("a trapped signal ends a wait, whose exit code names the signal", async () => {
    const { sh } = await startScripted();
    const script = `trap ': ' USR1; sleep infinity & p=$!; while :; do kill -USR1 $$; sleep 0.01; done & wait $p; echo $?; kill -9 -$p $!`;
    expect(await sh(script)).toEqual({ stdout: "138\n", stderr: "", code: 0 });
  });

  test("without arguments the shell runs commands from its input, which they may read from", async () => {
    const { exec } = await startScripted();
    const script = "read x\nfirst\necho got $x\nif true\nthen echo two lines\nfi\nexit 5\necho never\n";
    expect(await exec(["sh"], script)).toEqual({ stdout: "got first\ntwo lines\n", stderr: "", code: 5 });
  });

  test("exec of a program that does not exist answers the runtime's error", async () => {
    const { exec } = await startScripted();
    await expect(exec(["nope"])).rejects.toThrow(
      /^failed to exec in container: failed to start exec "[0-9a-f]{64}": OCI runtime exec failed: exec failed: unable to start container process: exec: "nope": executable file not found in \$PATH: unknown$/,
    );
    await expect(exec(["/no/such"])).rejects.toThrow(
      'exec: "/no/such": stat /no/such: no such file or directory: unknown',
    );
  });
});
