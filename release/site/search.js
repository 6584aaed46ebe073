// The search of the site, in the browser. build-site.ts puts the index in place of INDEX.
import MiniSearch from 'minisearch';

const SHOWN_MAX = 12;
const up = document.body.dataset.up ?? '';
const field = document.querySelector('search input');
const list = document.querySelector('search ol');
let index = null;

function found(query) {
  index ??= MiniSearch.loadJSON(INDEX, OPTIONS);
  return index.search(query, { prefix: true, fuzzy: 0.15, boost: { title: 3 }, combineWith: 'AND' }).slice(0, SHOWN_MAX);
}

function itemOf({ id, title, page }) {
  const link = document.createElement('a');
  link.href = up + id;
  link.textContent = title;
  const of = document.createElement('small');
  of.textContent = page;
  const item = document.createElement('li');
  item.append(link, title === page ? '' : of);
  return item;
}

field.addEventListener('input', () => {
  const query = field.value.trim();
  const all = query === '' ? [] : found(query);
  const none = document.createElement('li');
  none.textContent = `No page has “${query}”.`;
  list.replaceChildren(...(all.length > 0 || query === '' ? all.map(itemOf) : [none]));
  list.hidden = query === '';
});
field.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') list.querySelector('a')?.click();
  if (key === 'Escape') {
    field.value = '';
    list.hidden = true;
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || document.activeElement === field) return;
  event.preventDefault();
  field.focus();
});
