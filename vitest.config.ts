import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest file first, so that it is not what the others have to wait for in the end. */
class ParityFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isParity = ({ moduleId }: TestSpecification): boolean => moduleId.includes("/parity/");
    return [...sorted.filter(isParity), ...sorted.filter((file) => !isParity(file))];
  }
}

// Commands write dates in the zone of the machine; expectations are in this one. Threads take it over.
process.env.TZ = "UTC";

const report = process.env.KUBETS_TEST_REPORT;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "threads",
    // Much of the time goes by waiting for other programs: a core less would leave one idle.
    maxWorkers: "100%",
    sequence: { sequencer: ParityFirst },
    // Of those that say they may run beside others: parity, whose sessions often wait.
    maxConcurrency: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Sessions that watch real processes can miss their moment on a loaded machine; a real difference fails twice.
    retry: process.env.CI === undefined ? 0 : 1,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
  },
});
