// For tests that measure the heap of another process: what such a process runs. It holds a few megabytes, makes garbage
// that lives for a while, and notes the most heap that it had.

/** Statements that leave `most`, MiB of heap at the most, and `youngs`, MiB of the young generation all along. */
export const MAKE_GARBAGE = `
  const { getHeapSpaceStatistics: spaces } = await import('node:v8');
  const youngs = [];
  let most = 0;
  let lately = [];
  for (let index = 0; index < 600_000; index += 1) {
    lately.push({ name: 'name ' + index, values: [index] });
    if (lately.length === 100_000) lately = lately.slice(50_000);
    if (index % 10_000 !== 0) continue;
    most = Math.max(most, process.memoryUsage().heapTotal / 1024 / 1024);
    youngs.push(spaces().find((space) => space.space_name === 'new_space').space_size / 1024 / 1024);
  }
`;
