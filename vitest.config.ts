import { defineConfig } from "vitest/config";

const report = process.env.KUBETS_TEST_REPORT;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "threads",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Sessions that watch real processes can miss their moment on a loaded machine; a real difference fails twice.
    retry: process.env.CI === undefined ? 0 : 1,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
  },
});
