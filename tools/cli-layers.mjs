// Which modules of the command line are one file, because commands load them together (layered-bundle.mjs).

/** @type {import("./layered-bundle.mjs").Layer[]} */
export const CLI_LAYERS = [
  // What every command line loads, the completers that commands name included.
  { name: "main", roots: ["src/main.ts", "src/cli/completion/resource-completers.ts"] },
  { name: "config", roots: ["src/client/config/config-loader.ts"] },
  // What a command that asks a server and prints the answer loads.
  {
    name: "connect",
    roots: [
      "src/cli/connect/connect.ts",
      "src/cli/flags/print-flags.ts",
      "src/cli/advice/hints.ts",
      "src/cli/request-uri.ts",
      "src/cli/write-output.ts",
      "src/base/text/byte-text.ts",
      "src/machinery/text/duration/human-duration.ts",
      "src/machinery/text/quantity/quantity.ts",
      "src/cli/flags/filename-flags.ts",
      "src/printers/formats.ts",
      "src/base/collections/go-sort.ts",
      "src/printers/human-printer.ts",
      "src/printers/tab-writer.ts",
    ],
  },
  { name: "status-table", roots: ["src/commands/cluster/status-table.ts"] },
];
