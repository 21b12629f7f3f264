import { assertEquals, assertThrows } from "@std/assert";
import { parseReport } from "../../../../scripts/bench/serving/wrk.ts";

/** What wrk 4.1.0 prints, trailing spaces included. */
const REPORT = `Running 3s test @ http://127.0.0.1:8080/invocations
  1 threads and 256 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   217.09ms  473.96ms   2.97s    89.02%
    Req/Sec     4.71k     1.01k    6.84k    66.67%
  Latency Distribution
     50%   43.40ms
     75%   58.89ms
     90%  784.25ms
     99%    2.28s 
  14110 requests in 3.06s, 2.50MB read
Requests/sec:   4606.41
Transfer/sec:    836.76KB
`;

Deno.test("a report of wrk", async (t) => {
  await t.step("has the rate and the 99th percentile", () => {
    assertEquals(parseReport(REPORT), { requestsPerSecond: 4606.41, p99: 2280 });
    assertEquals(parseReport(REPORT.replace("2.28s ", "512.00us")).p99, 0.512);
    assertEquals(parseReport(REPORT.replace("2.28s ", "89.43ms")).p99, 89.43);
  });

  await t.step("of requests without an answer is an error", () => {
    for (
      const failure of [
        "  Non-2xx or 3xx responses: 14110",
        "  Socket errors: connect 0, read 0, write 0, timeout 12",
      ]
    ) {
      const report = REPORT.replace("Requests/sec", `${failure}\nRequests/sec`);
      assertThrows(() => parseReport(report), Error, "Not all requests were answered");
    }
  });
});
