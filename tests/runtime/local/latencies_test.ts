import { assert, assertEquals } from "@std/assert";
import { Latencies } from "../../../runtime/local/latencies.ts";
import { Traffic } from "../../../runtime/local/server/traffic.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("latencies", () => {
  it("are right within one percent, whatever their size", () => {
    const latencies = new Latencies();
    for (let ms = 1; ms <= 1_000; ms++) latencies.add(ms);
    for (const [part, ms] of [[0.5, 500], [0.95, 950], [0.99, 990], [1, 1_000]] as const) {
      const found = latencies.within(part);
      assert(Math.abs(found - ms) <= ms * 0.015, `${part}: ${found}`);
    }
  });

  it("are 0 where there are none", () => {
    assertEquals(new Latencies().percentiles, { p50: 0, p95: 0, p99: 0 });
  });

  it("of requests without an answer do not count, the requests do", () => {
    const traffic = new Traffic();
    traffic.add(200, 10);
    traffic.add(500, 10);
    traffic.add(undefined, 60_000);
    const { p50, p99, ...counts } = traffic.facts;
    assertEquals([counts.requests, counts.failed], [3, 2]);
    assertEquals([Math.round(p50), Math.round(p99)], [10, 10]);
  });
});
