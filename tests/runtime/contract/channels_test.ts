import { assertEquals } from "@std/assert";
import {
  isChannelName,
  mergedChannels,
  parseChannel,
  parseRemoteChannel,
} from "../../../runtime/contract/channels.ts";
import { it, suite } from "../../helpers/suite.ts";

const NAMES: readonly (readonly [name: string, is: boolean])[] = [
  ["training", true],
  ["A.b_c-9", true],
  ["...", true],
  ["x".repeat(64), true],
  ["x".repeat(65), false],
  ["", false],
  [".", false],
  ["..", false],
  ["a b", false],
  ["a/b", false],
  ["é", false],
];

const TYPED: readonly (readonly [text: string, parsed: [string, string] | undefined])[] = [
  ["training=/data", ["training", "/data"]],
  ["training=a=b", ["training", "a=b"]],
  ["training= ", ["training", " "]],
  ["training=", undefined],
  ["=/data", undefined],
  ["training", undefined],
  ["", undefined],
  ["..=/data", undefined],
  ["a/b=/data", undefined],
];

/** On SageMaker: the channel, the bucket and the key. */
const REMOTE: readonly (readonly [text: string, parsed: [string, string, string] | undefined])[] = [
  ["s3://bucket/data/train", ["training", "bucket", "data/train"]],
  ["s3://bucket", ["training", "bucket", ""]],
  ["labels=s3://bucket/l.csv", ["labels", "bucket", "l.csv"]],
  ["s3://bucket/day=1/", ["training", "bucket", "day=1/"]],
  ["s3://bucket/day=s3://x/", ["training", "bucket", "day=s3://x/"]],
  ["a=s3://bucket/day=s3://x/", ["a", "bucket", "day=s3://x/"]],
  ["a=b=s3://bucket/x", undefined],
  ["=s3://bucket/x", undefined],
  ["a b=s3://bucket/x", undefined],
  ["..=s3://bucket/x", undefined],
  ["a=/data", undefined],
  ["/data", undefined],
  ["s3://B/x", undefined],
  ["https://bucket/x", undefined],
  ["", undefined],
];

suite("channels", () => {
  for (const [text, parsed] of REMOTE) {
    it(`lie in S3: ${JSON.stringify(text)} is ${parsed ?? "none"}`, () => {
      const channel = parseRemoteChannel(text);
      assertEquals(channel && [channel.name, channel.address.bucket, channel.address.key], parsed);
    });
  }

  for (const [name, is] of NAMES) {
    it(`${is ? "may" : "may not"} be called ${JSON.stringify(name.slice(0, 20))}`, () => {
      assertEquals(isChannelName(name), is);
    });
  }

  for (const [text, parsed] of TYPED) {
    it(`are typed: ${JSON.stringify(text)} is ${parsed ?? "none"}`, () => {
      const channel = parseChannel(text);
      assertEquals(channel && [channel.name, channel.directory], parsed);
    });
  }

  it("that somebody named win; all are sorted by name, capitals first", () => {
    const channel = (name: string, source: string) => ({ name, source });
    const found = [channel("validation", "/v"), channel("training", "/t"), channel("Extra", "/e")];
    const named = [channel("training", "/mine"), channel("a", "/a")];
    assertEquals(mergedChannels(found, named), [
      channel("Extra", "/e"),
      channel("a", "/a"),
      channel("training", "/mine"),
      channel("validation", "/v"),
    ]);
    assertEquals(mergedChannels([], []), []);
  });
});
