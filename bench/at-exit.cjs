// Loaded before a measured program: when it exits, what it has cost goes to file descriptor 3.
const { readFileSync, writeSync } = require('node:fs');

// Linux hands the parent's peak on to a child in `maxRSS`; VmHWM begins anew with each program.
/** @param {number} maxRSS in KiB */
function peakRssBytes(maxRSS) {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
  } catch {
    return maxRSS * 1024;
  }
}

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cpuMs = (userCPUTime + systemCPUTime) / 1000;
  writeSync(3, JSON.stringify({ cpuMs, peakRssBytes: peakRssBytes(maxRSS) }));
});
