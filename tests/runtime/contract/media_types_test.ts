import { assertEquals } from "@std/assert";
import { typeOfBytes, typeOfFile } from "../../../runtime/contract/media_types.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("content types", () => {
  const files = [
    ["a.csv", "text/csv"],
    ["folder.csv/A.JSON", "application/json"],
    ["a.b.parquet", "application/x-parquet"],
    ["a.constructor", "application/octet-stream"],
    ["folder.csv/a", "application/octet-stream"],
    [".csv", "text/csv"],
    ["a.", "application/octet-stream"],
  ] as const;
  for (const [name, type] of files) {
    it(`of the file ${name}: ${type}`, () => assertEquals(typeOfFile(name), type));
  }

  const bodies = [
    ["an empty body", "", "text/csv"],
    ["an object", '\n{"a": 1}', "application/json"],
    ["an array", "[1]", "application/json"],
    ["a row", "72,3,15\n", "text/csv"],
    ["text with a NUL", "a\0b", "application/octet-stream"],
  ] as const;
  for (const [title, text, type] of bodies) {
    it(`of ${title}: ${type}`, () => {
      assertEquals(typeOfBytes(new TextEncoder().encode(text)), type);
    });
  }

  it("of text whose last character is cut in two: text", () => {
    assertEquals(typeOfBytes(new TextEncoder().encode("é").subarray(0, 1)), "text/csv");
  });

  it("of bytes that are no text: unknown", () => {
    assertEquals(typeOfBytes(new Uint8Array([0xff, 0x41])), "application/octet-stream");
  });
});
