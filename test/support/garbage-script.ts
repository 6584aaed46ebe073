// For tests that measure the heap of another process: what such a process runs. It holds a few megabytes, makes garbage
// that lives for a while, and notes the most heap that it had.

/** Statements that leave `most`: MiB of heap at the most. */
export const MAKE_GARBAGE = `
  let most = 0;
  let lately = [];
  for (let index = 0; index < 600_000; index += 1) {
    lately.push({ name: 'name ' + index, values: [index] });
    if (lately.length === 100_000) lately = lately.slice(50_000);
    if (index % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapTotal / 1024 / 1024);
  }
`;
