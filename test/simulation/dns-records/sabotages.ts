// Safeguards of DNSRecords, weakened one at a time.
import type { Sabotage } from '../bend.ts';

export const SEED_SABOTAGES: readonly Sabotage[] = [];
