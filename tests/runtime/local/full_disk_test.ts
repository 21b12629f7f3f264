import { assertEquals } from "@std/assert";
import { fullDiskHint } from "../../../runtime/local/full_disk.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("fullDiskHint", () => {
  for (
    const [words, hint] of [
      ["OSError: [Errno 28] No space left on device: '/opt/ml/model/m'", "disk that holds the app"],
      ["OSError: [Errno 122] Disk quota exceeded: '/opt/ml/output/x'", "disk that holds the app"],
      [
        "RuntimeError: unable to write to file </torch_1>: /dev/shm: No space left on device",
        "shm",
      ],
      ["OSError: [Errno 28] No space left on device: '/root/.cache/x'", "docker system df"],
      ["write error: No space left on device", "docker system df"],
      ["ValueError: there is a space left on device", undefined],
      ["", undefined],
    ] as const
  ) {
    it(`of ${words || "nothing"}`, () => {
      const said = fullDiskHint(words);
      assertEquals(said?.includes(hint ?? ""), hint && true);
    });
  }
});
