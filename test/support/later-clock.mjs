// Preloaded into a worker process: its clock is some hours ahead, as it will be when its uploads have expired.
const now = Date.now;
const ahead = Number(process.env.HOLDFAST_TEST_HOURS_AHEAD) * 3_600_000;
Date.now = () => now() + ahead;
