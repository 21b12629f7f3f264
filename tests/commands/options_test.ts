import { assertEquals } from "@std/assert";
import { parseHost } from "../../commands/options/parsers.ts";
import { it, suite } from "../helpers/suite.ts";

/** What is typed, and how a browser writes it. */
const HOSTS: Readonly<Record<string, string>> = {
  "models.example": "models.example",
  "Models.Example.": "models.example",
  "my_host-1": "my_host-1",
  "bücher.example": "xn--bcher-kva.example",
  "192.168.7.7": "192.168.7.7",
  "::1": "::1",
  "[FD00:0::1]": "fd00::1",
};

suite("--allow-host", () => {
  for (const [typed, host] of Object.entries(HOSTS)) {
    it(`takes ${typed} for ${host}`, () => assertEquals(parseHost(typed, "Option"), host));
  }
});
