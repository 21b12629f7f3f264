import { assertEquals } from "@std/assert";
import { roomFor } from "../../../runtime/contract/model_room.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the room for a model", () => {
  for (
    const [instanceType, volumeSize, gigabytes, words] of [
      [undefined, undefined, 5, "a serverless endpoint"],
      ["ml.m5.large", undefined, 30, "ml.m5.large"],
      ["ml.c7g.xlarge", undefined, 30, "ml.c7g.xlarge"],
      ["ml.m5.large", 512, 512, "ml.m5.large"],
      ["ml.g5.xlarge", undefined, undefined, "ml.g5.xlarge"],
      ["ml.g4dn.xlarge", undefined, undefined, "ml.g4dn.xlarge"],
      ["ml.m5d.large", 30, undefined, "ml.m5d.large"],
      ["ml.g9.xlarge", undefined, undefined, "ml.g9.xlarge"],
      ["ml.p3.2xlarge", undefined, 30, "ml.p3.2xlarge"],
      ["ml.inf2.xlarge", 100, 100, "ml.inf2.xlarge"],
      ["its instances", undefined, undefined, "its instances"],
    ] as const
  ) {
    it(`${words}, ${volumeSize ?? "no"} volume: ${gigabytes ?? "unknown"} GB`, () => {
      const room = roomFor({ instanceType, volumeSize });
      assertEquals(
        [room.bytes, room.words],
        [gigabytes === undefined ? undefined : gigabytes * 1024 ** 3, words],
      );
    });
  }
});
