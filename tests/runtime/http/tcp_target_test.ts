import { assertEquals } from "@std/assert";
import { tcpTarget } from "../../../runtime/http/exchange.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("where a URL's host listens", () => {
  for (
    const [url, hostname, port] of [
      ["http://[::1]:2375", "::1", 2375],
      ["https://[2001:db8::7]/x", "2001:db8::7", 443],
      ["http://[::1]", "::1", 80],
      ["http://127.0.0.1:9000/", "127.0.0.1", 9000],
      ["https://sts.eu-west-1.amazonaws.com", "sts.eu-west-1.amazonaws.com", 443],
    ] as const
  ) {
    it(url, () => assertEquals(tcpTarget(new URL(url)), { hostname, port }));
  }
});
