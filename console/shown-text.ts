// Text as the page shows it. Names, values and messages are text of tenants: a control character or a mark of the
// writing direction could hide or reorder what stands beside it, so each is written as \uXXXX, as in JSON of a command.

import { PUBLIC, realName, viewOf } from '../lib/dns/names/view.ts';

// Controls; the soft hyphen; line and paragraph separators; marks that change the writing direction; invisible
// characters; unpaired surrogates.
const UNSAFE = /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/** The text with each control, bidirectional or invisible character as `\uXXXX`. */
export function shownText(text: string): string {
  return text.replaceAll(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A name as people read it: one of another view than `public` says its view. */
export function nameText(name: string): string {
  const view = viewOf(name);
  return view === PUBLIC ? name : `${realName(name)} in view ${view}`;
}

/** The lines of a text, each as it is shown. */
export function shownLines(text: string): readonly string[] {
  return text.split('\n').map(shownText);
}

/** "10,000", "2.5". */
export function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

/** "1 name", "2 names", "10,000 names". */
export function counted(count: number, one: string): string {
  return `${number(count)} ${one}${count === 1 ? '' : 's'}`;
}

const STEPS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** How long ago a time was: "now", "12 s ago", "3 h ago"; what lies ahead is "in 5 s". */
export function agoText(at: string, nowMs: number): string {
  const seconds = Math.round((nowMs - Date.parse(at)) / 1_000);
  if (Number.isNaN(seconds)) return shownText(at);
  const [step, unit] = STEPS.find(([size]) => Math.abs(seconds) >= size) ?? [1, ''];
  if (unit === '') return 'now';
  const text = `${Math.floor(Math.abs(seconds) / step)} ${unit}`;
  return seconds > 0 ? `${text} ago` : `in ${text}`;
}

/** A time of the API to the second, in UTC: `2026-01-31 12:00:00Z`. */
export function timeText(at: string): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? shownText(at) : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}
