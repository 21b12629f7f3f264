import { assertEquals, assertThrows } from "@std/assert";
import type { Header } from "tar-stream";
import { Refusal } from "../../../runtime/archive/entries.ts";
import { Judgement } from "../../../runtime/archive/judgement.ts";
import { it, suite } from "../../helpers/suite.ts";

const GB = 1024 ** 3;
const ROOM = { bytes: 30 * GB, words: "ml.m5.large", remedy: "Take another." };

type Entry = Partial<Header> & { readonly name: string };

function judged(entries: readonly Entry[], room = ROOM): Judgement {
  const judgement = new Judgement(room);
  for (const entry of entries) {
    judgement.add({ type: "file", mode: 0o644, size: 1, linkname: null, ...entry } as Header);
  }
  return judgement;
}

const directory = (name: string): Entry => ({ name, type: "directory", size: 0 });
const link = (name: string, linkname: string): Entry => ({ name, type: "symlink", linkname });

suite("the judgement of an archive", () => {
  for (
    const [what, entries, warnings] of [
      ["a file", [{ name: "model.json" }], []],
      ["what tar -C DIR . makes", [directory("./"), { name: "./m" }, { name: "./n" }], []],
      ["a file beside a directory", [{ name: "code/inference.py" }, { name: "m" }], []],
      ["two directories", [{ name: "a/m" }, { name: "b/m" }], []],
      ["a version of TensorFlow's", [directory("1/"), { name: "1/saved_model.pb" }], []],
      ["nothing", [], []],
      ["a directory around it", [directory("model/"), { name: "model/m" }], [
        "All of A lies in model/: a server finds it in /opt/ml/model/model/, and not in " +
        "/opt/ml/model. If that is not meant: tar -czf model.tar.gz -C model .",
      ]],
      ["a directory around it, with dots", [directory("./"), { name: "./export/m" }], [
        "All of A lies in export/: a server finds it in /opt/ml/model/export/, and not in " +
        "/opt/ml/model. If that is not meant: tar -czf model.tar.gz -C export .",
      ]],
      ["an archive in it", [{ name: "model.tar.gz" }], [
        "A holds model.tar.gz and nothing else: that is not unpacked once more",
      ]],
      ["links", [{ name: "m" }, link("l", "m"), link("k", "m")], [
        "A holds symbolic links (l and 1 more): SageMaker may not be able to unpack it. Pack what " +
        "they lead to: tar -h",
      ]],
      ["a hard link", [{ name: "m" }, { name: "n", type: "link", linkname: "m" }], []],
    ] as const
  ) {
    it(`warns of what looks like a mistake: ${what}`, () => {
      assertEquals(judged(entries).warnings("A"), warnings);
    });
  }

  for (
    const [what, entry, words] of [
      ["an absolute name", { name: "/etc/passwd" }, "/etc/passwd is an absolute path"],
      ["a name that leads up", { name: "a/../../m" }, "a/../../m leads out of the archive"],
      ["a link that leads up", link("a/l", "../../m"), "which may lead out of the archive"],
      ["an absolute link", link("l", "/etc"), "which may lead out of the archive"],
      ["another name of something outside", { name: "n", type: "link", linkname: "../m" }, "leads"],
      ["a device", { name: "d", type: "block-device" }, "is neither a file nor"],
      ["a pipe", { name: "p", type: "fifo" }, "is neither a file nor"],
    ] as const
  ) {
    it(`refuses ${what}`, () => {
      assertThrows(() => judged([entry as Entry]), Refusal, words);
    });
  }

  it("refuses what does not fit, as soon as a header says so", () => {
    const half = { name: "a", size: 15 * GB };
    judged([half, { ...half, name: "b" }]);
    assertThrows(
      () => judged([half, { ...half, name: "b" }, { name: "c" }]),
      Refusal,
      "it becomes more than 30 GB, which is what ml.m5.large has",
    );
    const pax = {
      "GNU.sparse.major": "1",
      "GNU.sparse.minor": "0",
      "GNU.sparse.realsize": String(2 ** 50),
      "GNU.sparse.name": "s",
    };
    assertThrows(() => judged([{ name: "s", pax } as Entry]), Refusal, "more than 30 GB");
  });

  it("does not count what is no file, nor where nobody knows the room", () => {
    assertEquals(judged([directory("d/"), { name: "m" }, link("l", "m")]).files, 2);
    const room = { ...ROOM, bytes: undefined };
    const judgement = new Judgement(room);
    judgement.add({ name: "m", type: "file", mode: 0, size: 2 ** 50 } as Header);
    assertEquals(judgement.files, 1);
  });
});
