import { assertEquals } from "@std/assert";
import { jsonFormat, textFormat } from "../../../commands/cloud/endpoint_formats.ts";
import { localTimestamp } from "../../../commands/render/timestamp.ts";
import { it, suite } from "../../helpers/suite.ts";

const TIME = new Date("2026-03-01T08:30:00.123Z");
const [A, B, C] = ["a", "b", "c"].map((name) => ({
  name,
  status: "InService",
  creationTime: TIME,
})) as [Endpoint, Endpoint, Endpoint];

type Endpoint = Parameters<ReturnType<typeof textFormat>["page"]>[0][number];

const text = (name: string): string => `${name}  InService  ${localTimestamp(TIME, " ")}\n`;
const json = (name: string): string =>
  `{"endpoint_name":"${name}","status":"InService","creation_time":"${localTimestamp(TIME, "T")}"}`;

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
      for (const [format, whole] of [[textFormat(), asText], [jsonFormat(), asJson]] as const) {
        assertEquals(pages.map((page) => format.page(page)).join("") + format.end(), whole);
      }
    });
  }

  it("that breaks off is no list in JSON, and ends its line", () => {
    const format = jsonFormat();
    assertEquals(format.page([A]) + format.breakOff(), `[\n  ${json("a")}\n`);
    assertEquals(jsonFormat().breakOff(), "");
    assertEquals(textFormat().breakOff(), "");
  });
});
