// A worker whose timer is not slowed down while the page is hidden.
setInterval(() => postMessage(0), 40)
