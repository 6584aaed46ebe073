import type { BenchResult } from './result.ts';
export async function benchGrowth(): Promise<BenchResult> {
  return { name: 'growth', rows: [], limits: [] };
}
