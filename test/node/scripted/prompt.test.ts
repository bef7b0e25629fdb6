import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/base/async/deferred.js";
import { BytePipe } from "../../../src/node/byte-pipe.js";
import { eventually } from "../../helpers/eventually.js";
import { Screen } from "../../helpers/screen.js";
import { startScripted } from "../../helpers/scripted-container.js";

const COLUMNS = 20;
const [UP, DOWN, LEFT, RIGHT, HOME, END, DELETE] = ["[A", "[B", "[D", "[C", "[H", "[F", "[3~"].map(
  (key) => `\x1b${key}`,
);

/** A shell on a terminal of so many columns. */
async function shellOnTerminal(command: readonly string[] = ["sh"], env: Readonly<Record<string, string>> = {}) {
  const { runtime, started, exec } = await startScripted({ env });
  const screen = new Screen(COLUMNS);
  const input = new BytePipe();
  const exited = runtime.exec(started.id, command, {
    stdin: input,
    stdout: async (chunk) => screen.write(Buffer.from(chunk).toString("utf8")),
    tty: true,
    sizes: (async function* () {
      yield { width: COLUMNS, height: 10 };
    })(),
    signal: new AbortController().signal,
  });
  const shows = (text: string) => eventually(async () => expect(screen.text).toBe(text));
  return { screen, shows, exited, exec, type: (keys: string) => input.write(Buffer.from(keys)), input };
}

const rows: readonly (readonly [name: string, keys: string, screen: string])[] = [
  ["shows what is typed", "echo", "/ # echo|"],
  ["inserts where the cursor is", `ac${LEFT}b`, "/ # ab|c"],
  ["stops at both ends of the line", `ab${LEFT}${LEFT}${LEFT}x${END}${RIGHT}y`, "/ # xaby|"],
  ["goes to both ends by keys", `bc${HOME}a${END}d`, "/ # abcd|"],
  ["goes to both ends by Ctrl-A and Ctrl-E", "bc\x01a\x05d", "/ # abcd|"],
  ["knows the keys of application mode and of the Linux console", "bc\x1bOHa\x1b[4~d\x1b[1~<\x1bOF>", "/ # <abcd>|"],
  ["goes by characters with Ctrl-B and Ctrl-F", "abc\x02\x02\x06-", "/ # ab-|c"],
  ["erases before the cursor", `abc${LEFT}\x7f`, "/ # a|c"],
  ["erases nothing before the line", `${LEFT}\x7f\x08a`, "/ # a|"],
  ["deletes at the cursor, by a key and Ctrl-D", `abcd${HOME}${DELETE}\x04`, "/ # |cd"],
  ["kills to the end, to the beginning, and a word", `one two three\x01\x1bf\x0b\x05 x y\x17`, "/ # one x |"],
  ["kills to the beginning", `one two${LEFT}${LEFT}\x15`, "/ # |wo"],
  ["goes by words", "one two\x1b[1;5D\x1bb-", "/ # -|one two"],
  ["wraps a line that is longer than the screen is wide", "0123456789abcdefghij", "/ # 0123456789abcdef\nghij|"],
  ["wraps exactly at the edge", "0123456789abcdef", "/ # 0123456789abcdef\n|"],
  ["edits a line that is wrapped", `0123456789abcdefghij\x01X\x05\x7fY`, "/ # X0123456789abcde\nfghiY|"],
  ["takes a wrapped line back", "0123456789abcdefghij\x15hi", "/ # hi|"],
  ["edits characters of several bytes", `äö€é${LEFT}${LEFT}\x7f`, "/ # ä|€é"],
  ["ignores keys that it does not know", "a\x1b[15~\x1bOPb\t\x07c", "/ # abc|"],
  ["clears the screen by Ctrl-L", "echo a\recho b\x0c", "/ # echo b|"],
];

describe("typing a line at the shell's prompt", () => {
  test.each(rows)("%s", async (_name, keys, expected) => {
    const [slowly, atOnce] = [await shellOnTerminal(), await shellOnTerminal()];
    await Promise.all([slowly.shows("/ # |"), atOnce.shows("/ # |")]);
    for (const byte of Buffer.from(keys)) await slowly.input.write(Uint8Array.of(byte));
    await slowly.shows(expected);
    await atOnce.type(keys);
    await atOnce.shows(expected);
  });
});

describe("a scripted shell at a terminal", () => {
  test("shows the folder in its prompt", async () => {
    const { shows, type } = await shellOnTerminal();
    await shows("/ # |");
    await type("cd /tmp\rcd\r");
    await shows("/ # cd /tmp\n/tmp # cd\n~ # |");
  });

  test("expands aliases, and shows the menu of select", async () => {
    const { shows, type } = await shellOnTerminal(["bash"], { PS1: "$ ", COLUMNS: "8" });
    await shows("$ |");
    await type("alias two='echo'\rtwo c\rselect x in a b; do\rtwo $x; break; done\r");
    await shows("$ alias two='echo'\n$ two c\nc\n$ select x in a b; d\no\n> two $x; break; don\ne\n1) a\n2) b\n#? |");
    await type("2\r");
    await shows(
      "$ alias two='echo'\n$ two c\nc\n$ select x in a b; d\no\n> two $x; break; don\ne\n1) a\n2) b\n#? 2\nb\n$ |",
    );
  });

  test("prompts as Debian images do when it is called bash", async () => {
    const { shows } = await shellOnTerminal(["/bin/bash"]);
    await shows("root@web:/# |");
  });

  test("shows its prompt to a client that attaches later, and redraws the line after a resize", async () => {
    const { runtime, started } = await startScripted({}, { command: ["sh"], stdin: true, tty: true });
    const [screen, input] = [new Screen(COLUMNS), new BytePipe()];
    const shows = (text: string) => eventually(async () => expect(screen.text).toBe(text));
    const changed = deferred<void>();
    const attached = runtime.attach(started.id, {
      stdin: input,
      stdout: async (chunk) => screen.write(Buffer.from(chunk).toString("utf8")),
      tty: true,
      sizes: (async function* () {
        yield { width: COLUMNS, height: 11 };
        await changed.promise;
        yield { width: COLUMNS, height: 12 };
      })(),
      signal: new AbortController().signal,
    });
    await shows("/ # |");
    await input.write(Buffer.from("echo"));
    await shows("/ # echo|");
    changed.resolve();
    await input.write(Buffer.from(" a"));
    await shows("/ # echo a|");
    await input.write(Buffer.from("\rexit\r"));
    await attached;
    expect(screen.text).toContain("/ # echo a\na\n/ # exit");
  });

  test("prompts with PS1 and PS2", async () => {
    const { shows, type } = await shellOnTerminal(["sh"], { PS1: "\\u@\\h:\\W\\$ ", PS2: "... " });
    await shows("root@web:/# |");
    await type("if true\rthen echo a; fi\r");
    await shows("root@web:/# if true\n... then echo a; fi\na\nroot@web:/# |");
  });

  test("recalls former lines, and returns to the one that was begun", async () => {
    const { shows, type } = await shellOnTerminal();
    await shows("/ # |");
    await type("echo a\r\recho b\recho b\r");
    const before = "/ # echo a\na\n/ #\n/ # echo b\nb\n/ # echo b\nb\n";
    await shows(`${before}/ # |`);
    await type(`dra${UP}`);
    await shows(`${before}/ # echo b|`);
    await type(`${UP}${UP}${UP}`);
    await shows(`${before}/ # echo a|`);
    await type(`${DOWN}${DOWN}${DOWN}ft`);
    await shows(`${before}/ # draft|`);
    await type("\x15\x10\x10\x7fc\r");
    await shows(`${before}/ # echo c\nc\n/ # |`);
  });

  test("drops a line at Ctrl-C, and ends at Ctrl-D on an empty one", async () => {
    const { shows, type, exited } = await shellOnTerminal();
    await shows("/ # |");
    await type("if true\rech\x03echo $?\r");
    await shows("/ # if true\n> ech^C\n/ # echo $?\n130\n/ # |");
    await type("false\r\x04");
    expect(await exited).toBe(1);
  });

  test("gives programs a line at a time with echo, and takes the terminal back", async () => {
    const { shows, type } = await shellOnTerminal();
    await shows("/ # |");
    await type("cat\r");
    await shows("/ # cat\n|");
    await type("ab\x7fc\r\x04");
    await shows("/ # cat\nac\nac\n/ # |");
    await type("read x; echo $x\r");
    await shows("/ # cat\nac\nac\n/ # read x; echo $x\n|");
    await type("b\x7fd\r");
    await shows("/ # cat\nac\nac\n/ # read x; echo $x\nd\nd\n/ # |");
  });

  test("interrupts a running program by Ctrl-C, and continues", async () => {
    const { shows, type, exec } = await shellOnTerminal();
    await shows("/ # |");
    await type("sleep infinity\r");
    await eventually(async () => expect((await exec(["ps"])).stdout).toContain("sleep infinity"));
    await type("\x03");
    await shows("/ # sleep infinity\n^C\n/ # |");
  });

  test("runs a pasted line before it shows the next one", async () => {
    const { shows, type } = await shellOnTerminal();
    await shows("/ # |");
    await type("echo a\recho b\r");
    await shows("/ # echo a\na\n/ # echo b\nb\n/ # |");
  });

  test("refuses characters that do not fit into a line", async () => {
    const { screen, shows, type } = await shellOnTerminal();
    await shows("/ # |");
    await type(`${"a".repeat(500_000)}\x15ok`);
    await shows("/ # ok|");
    expect(screen.text).not.toContain("aaaa");
  });
});
