-- What wrk sends: one row of the sample app as CSV.
wrk.method = "POST"
wrk.body = "72,3,15\n"
wrk.headers["Content-Type"] = "text/csv"
