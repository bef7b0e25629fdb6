import { compareHalf } from "./compare-half.js";

compareHalf(0);
