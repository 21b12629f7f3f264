import { assertEquals } from "@std/assert";
import { endOf } from "../../../runtime/contract/outcome.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROWS: readonly (readonly [status: number, outOfMemory: boolean, words: string])[] = [
  [1, false, "exit status 1"],
  [3, true, "exit status 3 (it ran out of memory)"],
  [126, false, "exit status 126 (the command cannot be executed)"],
  [127, false, "exit status 127 (the command was not found)"],
  [137, false, "exit status 137 (ended by SIGKILL)"],
  [137, true, "exit status 137 (ended by SIGKILL; it ran out of memory)"],
  [139, false, "exit status 139 (ended by SIGSEGV, a segmentation fault)"],
  [143, false, "exit status 143 (ended by SIGTERM)"],
  [255, false, "exit status 255"],
];

suite("endOf", () => {
  for (const [status, outOfMemory, words] of ROWS) {
    it(words, () => assertEquals(endOf(status, outOfMemory).words, words));
  }
});
