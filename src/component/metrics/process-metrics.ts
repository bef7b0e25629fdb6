import { readdir, readFile } from "node:fs/promises";
import type { FamilyDefinition } from "../../machinery/metrics/family.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";

const gauge = (name: string, help: string): FamilyDefinition => ({ name, type: "gauge", help });

const CPU: FamilyDefinition = {
  name: "process_cpu_seconds_total",
  type: "counter",
  help: "Total user and system CPU time spent in seconds.",
};
const RESIDENT = gauge("process_resident_memory_bytes", "Resident memory size in bytes.");
const VIRTUAL = gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.");
const OPEN_FILES = gauge("process_open_fds", "Number of open file descriptors.");
const MOST_FILES = gauge("process_max_fds", "Maximum number of open file descriptors.");
const STARTED = gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.");
const HEAP_USED = gauge("nodejs_heap_size_used_bytes", "Process heap size used from Node.js in bytes.");
const HEAP_TOTAL = gauge("nodejs_heap_size_total_bytes", "Process heap size from Node.js in bytes.");
const EXTERNAL = gauge("nodejs_external_memory_bytes", "Node.js external memory size in bytes.");

/** Adds the metrics that every process of Prometheus' client libraries has, under their names. `now` is the machine's time. */
export function addProcessMetrics(table: MetricTable, now: () => number): void {
  const started = now() / 1000 - process.uptime();
  const set = (definition: FamilyDefinition, value: number | undefined): void => {
    if (value === undefined) return;
    const family = table.family(definition);
    family.set(family.series(), value);
  };
  table.onRead(async () => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    set(CPU, (user + system) / 1e6);
    set(RESIDENT, rss);
    set(HEAP_USED, heapUsed);
    set(HEAP_TOTAL, heapTotal);
    set(EXTERNAL, external);
    set(STARTED, started);
    const { virtual, openFiles, mostFiles } = await readProc();
    set(VIRTUAL, virtual);
    set(OPEN_FILES, openFiles);
    set(MOST_FILES, mostFiles);
  });
}

/** Adds only the process's start time, as /metrics/slis has it. */
export function addStartTime(table: MetricTable, now: () => number): void {
  const started = now() / 1000 - process.uptime();
  table.onRead(() => {
    const family = table.family({ ...STARTED, stability: "ALPHA" });
    family.set(family.series(), started);
  });
}

/** What Linux tells of this process; nothing on other systems. */
async function readProc(): Promise<{ virtual?: number; openFiles?: number; mostFiles?: number }> {
  if (process.platform !== "linux") return {};
  try {
    const [stat, limits, files] = await Promise.all([
      readFile("/proc/self/stat", "utf8"),
      readFile("/proc/self/limits", "utf8"),
      readdir("/proc/self/fd"),
    ]);
    // The program's name, in parentheses, may have spaces. The size is the 23rd field.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [, most = "0"] = /^Max open files +(\d+)/m.exec(limits) ?? [];
    return { virtual: Number(fields[20]), openFiles: files.length, mostFiles: Number(most) };
  } catch {
    // A sandbox may hide /proc.
    return {};
  }
}
