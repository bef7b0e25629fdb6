export { seededRandom } from "../../src/base/numbers/seeded-random.js";
