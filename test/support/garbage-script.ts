// The program of a process whose heap a test measures. It holds a few megabytes, makes garbage that lives for a while,
// and notes the largest heap that it had.

/** Statements that set `most`, the largest heap in MiB, and `youngs`, the sizes of the young generation in MiB. */
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
