export { seededRandom } from "../../src/base/seeded-random.js";
