// The version of a release: Semantic Versioning 2.0.0, without build metadata, which npm drops when it publishes.

const NUMBER = '(?:0|[1-9]\\d*)';
const PRE_RELEASE = `(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
const VERSION = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${PRE_RELEASE}(?:\\.${PRE_RELEASE})*)?$`);

/** What is wrong with a version; null: nothing. */
export function versionProblem(text: string): string | null {
  if (VERSION.test(text)) return null;
  const quoted = JSON.stringify(text);
  if (/^v\d/.test(text)) return `${quoted} begins with "v", which belongs to the tag: write ${text.slice(1)}`;
  if (VERSION.test(text.split('+')[0] ?? '')) return `${quoted} has build metadata (+…), which npm drops: leave it out`;
  return `${quoted} is not a semantic version, such as 0.1.0 or 0.1.0-rc.1`;
}
