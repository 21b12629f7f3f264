import { assertEquals } from "@std/assert";
import type { CreateBody } from "../../../../runtime/docker/engine.ts";
import { mountingOn, type Protection, readOnly } from "../../../../runtime/local/container/body.ts";
import { it, suite } from "../../../helpers/suite.ts";

const PLAIN: CreateBody["HostConfig"] = { AutoRemove: true, Mounts: [] };
const MOUNTING = { ...PLAIN, Mounts: [readOnly("/a", "/b")] };
const CONFINED = { ...MOUNTING, SecurityOpt: ["no-new-privileges"] };

const NONE = { remapsUsers: false, usesSelinux: false };
const USERNS = { ...NONE, remapsUsers: true };
const SELINUX = { ...NONE, usesSelinux: true };

/** What it adds to a container's configuration. */
const ROWS: readonly (readonly [
  title: string,
  protection: Protection,
  given: CreateBody["HostConfig"],
  added: Partial<CreateBody["HostConfig"]>,
])[] = [
  ["nothing on most engines", NONE, MOUNTING, {}],
  ["nothing without a mount", { remapsUsers: true, usesSelinux: true }, PLAIN, {}],
  ["the machine's users", USERNS, MOUNTING, { UsernsMode: "host" }],
  ["no label", SELINUX, MOUNTING, { SecurityOpt: ["label=disable"] }],
  ["no label, and what there was", SELINUX, CONFINED, {
    SecurityOpt: ["no-new-privileges", "label=disable"],
  }],
];

suite("a container that mounts the user's directories", () => {
  for (const [title, protection, HostConfig, added] of ROWS) {
    it(`gets ${title}`, () => {
      const body: CreateBody = { Image: "x", Cmd: [], Labels: {}, HostConfig };
      assertEquals(mountingOn(protection, body), {
        ...body,
        HostConfig: { ...HostConfig, ...added },
      });
    });
  }
});
