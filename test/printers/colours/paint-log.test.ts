import { expect, test } from "vitest";
import { logParts } from "../../../src/printers/colours/paint-log.js";

/** The parts of a line that are coloured, with their colours. */
const parts = (line: string): readonly string[] =>
  logParts(line).map(({ start, end, tone }) => `${tone}: ${line.slice(start, end)}`);

test.each<[string, string, readonly string[]]>([
  ["klog", "E0102 15:04:05.000000       1 main.go:12] failed", ["bad: E0102"]],
  ["klog, a warning", "W0102 15:04:05.000000       1 main.go:12] ERROR", ["busy: W0102"]],
  ["a line that begins as klog's do", "E0102 is an error of ours", []],
  ["log4j", "2026-01-02 15:04:05,123 [main] ERROR com.example.Main - lost", ["bad: ERROR"]],
  ["Python", "WARNING:root:low on memory", ["busy: WARNING"]],
  ["logfmt", 'time="2026-01-02" level=error msg="INFO is a word"', ["bad: error"]],
  ["logfmt in quotes", 'ts=1 lvl="warn" msg=x', ["busy: warn"]],
  ["nginx", "2026/01/02 15:04:05 [error] 29#29: *1 open() failed", ["bad: error"]],
  ["zap on a console", "2026-01-02T15:04:05.000Z\tinfo\tsetup\tstarting", ["good: info"]],
  ["debug", "[DEBUG] asked", ["muted: DEBUG"]],
  ["--timestamps", "2026-01-02T15:04:05.123456789Z E0102 15:04:05.000000 1 x] y", ["bad: E0102"]],
  ["a word in a sentence", "an error was found, and information", []],
  ["a path", "GET /ERROR 200", []],
  ["a key", "INFO=1", []],
  ["a level far from the beginning", `${"x ".repeat(200)}ERROR`, []],
  ["a line with colours of its own", "\u001b[31mERROR\u001b[39m lost", []],
  [
    "JSON",
    '{"level":"error","ts":1.5,"msg":"say \\"level\\": 1","error":{"level":"warn"}}',
    ['key: "level"', 'bad: "error"', 'key: "ts"', 'key: "msg"', 'key: "error"', 'key: "level"'],
  ],
  ["JSON with numbers for levels", '{"level": 50, "v": 30}', ['key: "level"', "bad: 50", 'key: "v"']],
  ["JSON that breaks off", '{"level":"warn","msg":"and so', ['key: "level"', 'busy: "warn"', 'key: "msg"']],
  ["a level that is not known", '{"level":"odd"}', ['key: "level"']],
  ["JSON after a timestamp", '2026-01-02T15:04:05Z {"severity":"INFO"}', ['key: "severity"', 'good: "INFO"']],
  ["text after the object", '{"a":1} {"b":2}', ['key: "a"']],
  ["empty", "", []],
])("colours in a log line: %s", (_name, line, expected) => {
  expect(parts(line)).toEqual(expected);
});
