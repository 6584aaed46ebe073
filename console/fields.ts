// Fields of a form whose question is in the address. They have no value from Preact, which would put it back whenever
// something else on the screen changes, in the midst of somebody's typing.
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A form whose fields show these values, by their names, and again when the values change. */
export function useFields(values: Readonly<Record<string, string>>): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    for (const [name, value] of Object.entries(values)) {
      const field = form.current?.elements.namedItem(name);
      if (field instanceof HTMLInputElement && field.value !== value) field.value = value;
    }
  }, [JSON.stringify(values)]);
  return form;
}

/** What is in the fields of the form that is submitted, without white space around it. */
export function fieldsOf(event: SubmitEvent): Readonly<Record<string, string>> {
  event.preventDefault();
  const fields = new FormData(event.currentTarget as HTMLFormElement);
  return Object.fromEntries([...fields].map(([name, value]) => [name, String(value).trim()]));
}
