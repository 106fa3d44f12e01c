// A worker that posts a message every 40 ms. Browsers slow down the timers of a hidden page, but not those of a worker.
setInterval(() => postMessage(0), 40)
