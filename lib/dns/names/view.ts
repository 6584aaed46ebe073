// Names in views. A view is a set of Zones and hosted zones in which names live apart from those of other views. A name
// of another view than `public` ends in a mark, as if the view were its top-level domain:
//
//   public     www.example.org.
//   internal   www.example.org.@internal.
//
// So the names of two views never meet, and every rule about names above and below holds within each view. No real name
// has such a label, for "@" is always escaped. Route 53 and outputs have realName().

/** The view of everything that names none. */
export const PUBLIC = 'public';

const MARK = /(?:^|\.)@([a-z0-9-]+)\.$/;
const MARKS = /"(?:[^"\\]|\\.)*"|(^|[^a-z0-9_*/.@-])?((?:[^\s"'`()[\],;:@]*\.)?)@([a-z0-9-]+)\.(?![a-z0-9_*@-])/g;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** True for a word that a view may have as its name: an RFC 1123 label. */
export function isViewName(text: string): boolean {
  return LABEL.test(text);
}

/** A real name as a name of a view. */
export function inView(name: string, view: string): string {
  if (view === PUBLIC) return name;
  return `${name === '.' ? '' : name}@${view}.`;
}

/** The view that a name belongs to. */
export function viewOf(name: string): string {
  return (name.includes('@') ? MARK.exec(name)?.[1] : undefined) ?? PUBLIC;
}

/** A name as DNS has it, without the mark of its view. */
export function realName(name: string): string {
  const mark = name.includes('@') ? MARK.exec(name) : null;
  return mark === null ? name : `${name.slice(0, mark.index)}.`;
}

/** A real name in the view of another name. A name that has a mark already stays as it is. */
export function inViewOf(other: string, name: string): string {
  return viewOf(name) === PUBLIC ? inView(name, viewOf(other)) : name;
}

/**
 * A text for people, in which each name of another view than `public` is followed by its view in words. What is in
 * quotes stays as it is: it is somebody's value, or what somebody wrote in place of a name.
 */
export function withViewsInWords(text: string): string {
  if (!text.includes('@')) return text;
  return text.replace(MARKS, (all, before: string | undefined, name: string, view: string | undefined) => {
    return view === undefined ? all : `${before ?? ''}${name === '' ? '.' : name} in view ${view}`;
  });
}
