import { execFileSync } from "node:child_process";

/**
 * Writes a script that a test starts right after.
 *
 * Tests of one process run in threads. What one thread forks has, until it executes its program, every file that
 * another thread is writing open as well, and a script that is open for writing does not start ("Text file busy").
 * So a process that ends before this returns writes it.
 */
export function writeProgram(path: string, text: string): void {
  execFileSync("/bin/sh", ["-c", 'cat >"$1" && chmod 755 "$1"', "sh", path], { input: text });
}
