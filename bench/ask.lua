-- The request of the first row for wrk: QUESTION and TOKEN come from bench/run.
wrk.method = "POST"
wrk.body = os.getenv("QUESTION")
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("TOKEN")

function done(summary, latency, requests)
	local e = summary.errors
	local wrong = e.connect + e.read + e.write + e.status + e.timeout
	io.write(string.format("asks %d seconds %.3f wrong %d\n", summary.requests,
		summary.duration / 1e6, wrong))
end
