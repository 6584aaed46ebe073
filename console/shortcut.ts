// The shortcut `/`, which goes to the search. A person who speaks to the browser, or whose hands hit keys by mistake,
// can switch it off (WCAG 2.1.4); the browser keeps that.
import { effect, signal } from '@preact/signals';

const KEPT = 'zone53.slash';

export const isSlashOn = signal(kept() !== 'off');

effect(() => {
  try {
    localStorage.setItem(KEPT, isSlashOn.value ? 'on' : 'off');
  } catch {
    // A browser may keep nothing: then it is on again the next time.
  }
});

function kept(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** Goes to `field` when `/` is pressed anywhere but in a field. */
export function listenForSlash(field: () => HTMLInputElement | null): () => void {
  const onKey = (event: KeyboardEvent) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    const isTyping = target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]');
    if (key !== '/' || ctrlKey || metaKey || altKey || isTyping || !isSlashOn.value) return;
    event.preventDefault();
    field()?.select();
    field()?.focus();
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
