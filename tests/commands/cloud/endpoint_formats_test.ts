import { assertEquals } from "@std/assert";
import { jsonFormat, textFormat } from "../../../commands/cloud/endpoint_formats.ts";
import { localTimestamp } from "../../../commands/render/format.ts";
import { it, suite } from "../../helpers/suite.ts";

const TIME = new Date("2026-03-01T08:30:00.123Z");
const NOW = new Date(TIME.getTime() + 3_600_000);
const UNKNOWN = { instanceType: undefined, instanceCount: undefined, memorySize: undefined };
const [A, B, C] = ["a", "b", "c"].map((name) => ({
  name,
  status: "InService",
  creationTime: TIME,
  ...name === "b"
    ? { machines: { ...UNKNOWN, instanceType: "ml.m5.large", instanceCount: 2 } }
    : {},
  ...name === "c" ? { machines: { ...UNKNOWN, memorySize: 2048 } } : {},
})) as [Endpoint, Endpoint, Endpoint];

type Endpoint = Parameters<ReturnType<typeof textFormat>["page"]>[0][number];

const text = (name: string): string => `${name}  InService  ${localTimestamp(TIME, " ")}\n`;
const json = (name: string): string =>
  `{"endpoint_name":"${name}","status":"InService","creation_time":"${
    localTimestamp(TIME, "T")
  }",` +
  `"age_seconds":3600,"instance_type":${name === "b" ? '"ml.m5.large"' : "null"},` +
  `"instance_count":${name === "b" ? 2 : "null"},` +
  `"memory_size_in_mb":${name === "c" ? 2048 : "null"}}`;

suite("a list of endpoints", () => {
  for (
    const [pages, asText, asJson] of [
      [[], "", "[]\n"],
      [[[]], "", "[]\n"],
      [[[A]], text("a"), `[\n  ${json("a")}\n]\n`],
      [
        [[A], [], [B, C]],
        text("a") + text("b") + text("c"),
        `[\n  ${json("a")},\n  ${json("b")},\n  ${json("c")}\n]\n`,
      ],
    ] as const
  ) {
    it(`of pages of ${pages.map((page) => page.length).join(", ") || "nothing"}`, () => {
      for (const [format, whole] of [[textFormat(), asText], [jsonFormat(NOW), asJson]] as const) {
        assertEquals(pages.map((page) => format.page(page)).join("") + format.end(), whole);
      }
    });
  }

  it("that breaks off is no list in JSON, and ends its line", () => {
    const format = jsonFormat(NOW);
    assertEquals(format.page([A]) + format.breakOff(), `[\n  ${json("a")}\n`);
    assertEquals(jsonFormat(NOW).breakOff(), "");
    assertEquals(textFormat().breakOff(), "");
  });
});
