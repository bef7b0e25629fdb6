import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeProgram } from "../helpers/write-program.js";

/** Requests that go on until one side ends them: watches, logs that are followed, and sessions in containers. */
export const LASTING = /watch=true|\/log\?(?:.*&)?follow=true|\/(?:attach|exec)\?/;

/** The file with the paths of those that a line has begun. */
export const LASTING_REQUESTS = "lasting-requests";

let folder: string | undefined;

/** The folder with the programs that a session's lines have beside kubectl. README.md shows how lines use them. */
export function sessionPrograms(): string {
  folder ??= writeSessionPrograms(mkdtempSync(join(tmpdir(), "kubets-session-programs-")));
  return folder;
}

function writeSessionPrograms(into: string): string {
  process.once("exit", () => rmSync(into, { recursive: true, force: true }));
  writeProgram(join(into, "once-watched"), ONCE_WATCHED);
  writeProgram(join(into, "interrupting"), INTERRUPTING);
  writeProgram(join(into, "watching"), WATCHING);
  writeProgram(join(into, "passing"), PASSING);
  writeProgram(join(into, "forwarding"), FORWARDING);
  return into;
}

/** For lines whose change must come after their watch, however slow the machine is. */
const ONCE_WATCHED = `#!/bin/sh
tries=0
until [ -s "$LASTING_REQUESTS" ] || [ $tries -ge 300 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
`;

/** Sends a command a signal once its watch or session has begun, and ends with its code. Job control makes SIGINT a signal it gets. */
const INTERRUPTING = `#!/bin/bash
set -m
signal=$1
shift
# bash would print how the command ended.
exec 3>&2 2>/dev/null
"$@" 2>&3 &
command=$!
once-watched
kill -"$signal" $command
wait $command
`;

/**
 * Runs a command, then MEANWHILE once its watch has begun, until the command has printed so many lines; interrupts it, prints them, and ends
 * with its code.
 */
const WATCHING = `#!/bin/bash
set -m
output=$(mktemp -d)
lines=$1
shift
touch "$output/out"
exec 3>&2 2>/dev/null
"$@" >"$output/out" 2>&3 &
command=$!
once-watched
eval "\${MEANWHILE:-:}" >/dev/null 2>&3
tries=0
until [ "$(wc -l <"$output/out")" -ge "$lines" ] || [ $tries -ge 300 ]; do
  kill -0 $command || break
  sleep 0.05
  tries=$((tries + 1))
done
kill -INT $command
wait $command
code=$?
cat "$output/out"
rm -r "$output"
exit $code
`;

/** Lets time pass in the cluster while the line goes on: \`passing 1m30s\`. Only sessions that live have it. */
const PASSING = `#!/bin/bash
exec 3<>"/dev/tcp/127.0.0.1/$PASSING_PORT"
echo "$1" >&3
read -r answer <&3
[ "$answer" = passed ] && exit
echo "$answer" >&2
exit 1
`;

/**
 * Runs a command until it has printed so many lines about ports that it forwards, then what TALK has, and interrupts the command. It
 * prints the answers, then the command's output, and ends with its code. In TALK, `say HOST PORT TEXT` sends a line and prints the one
 * that comes back, and `ended` waits for a command that ends without an interrupt.
 */
const FORWARDING = `#!/bin/bash
set -m
say() {
  exec 4<>"/dev/tcp/$1/$2"
  echo "$3" >&4
  head -n 1 <&4
  exec 4>&-
}
ended() {
  wait $command
}
output=$(mktemp -d)
lines=$1
shift
touch "$output/out"
exec 3>&2 2>/dev/null
"$@" >"$output/out" 2>"$output/err" &
command=$!
until [ "$(grep -c '^Forwarding from' "$output/out")" -ge "$lines" ]; do
  kill -0 $command 2>/dev/null || break
  sleep 0.05
done
eval "\${TALK:-:}"
kill -INT $command 2>/dev/null
wait $command
code=$?
cat "$output/out"
cat "$output/err" >&3
rm -r "$output"
exit $code
`;
