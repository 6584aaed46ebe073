// The page of the console in a real browser, over `zone53 local` with a folder of manifests. With SCREENSHOTS=1 it also
// writes the pictures of docs/console/, for a person to look at.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { startChromium } from '../engines/chromium/start.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { type RunningLocal, startLocal } from '../support/running-local.ts';

const PICTURES = path.join(import.meta.dirname, '..', '..', 'docs', 'console');
/** For what comes in seconds; a slow machine has the time that it needs. */
const PATIENCE = { timeout: 90_000, interval: 100 };

const ZONE = `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: example, namespace: platform }
spec:
  domainName: example.org.
  delegations:
    - namespaces: [team-a, hostile]
      records: [{ pattern: "*" }, { pattern: "@", types: [MX] }]
`;

const record = (namespace: string, name: string, type: string, rdata: string) => `---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${name}, namespace: ${namespace} }
spec: { domainName: ${name}.example.org., type: ${type}, rdata: ${JSON.stringify(rdata)} }
`;

const HOSTS = ['one', 'two', 'three', 'four', 'five', 'six'];
const MARKUP = '<img src=x onerror="document.title=1"><b>bold</b>';
/** Tenants who hope for a browser that obeys their text. */
const hostile = (rdata: string) =>
  [
    record('hostile', 'text', 'TXT', `${MARKUP} \u202egnp.exe\u202c \u0007`),
    record('hostile', 'refused', 'A', rdata),
  ].join('');
const RECORDS = [
  record('team-a', 'www', 'A', '192.0.2.10'),
  ...HOSTS.map((host, at) => record('team-a', host, 'A', `192.0.2.${20 + at}`)),
];

const SCREENS = {
  names: '#/names',
  name: '#/names/www.example.org.',
  waiting: '#/waiting',
  may: '#/may?namespace=team-b&name=www.example.org.&type=A',
  'hosted-zones': '#/hosted-zones',
  history: '#/history',
};

async function textOf(of: Locator): Promise<string> {
  return (await of.textContent()) ?? '';
}

describeWithEngine('chromium', 'the page of the console', () => {
  let folder: string;
  let local: RunningLocal;
  let address: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const trouble: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-console-'));
    mkdirSync(path.join(folder, 'manifests'));
    await save('zone.yaml', ZONE);
    await save('records.yaml', RECORDS.join(''));
    await save('hostile.yaml', hostile('192.0.2.66'));
    await writeFile(path.join(folder, 'zone53.yaml'), 'roots: [{ zone: example.org., namespaces: [platform] }]\n');
    local = await startLocal(folder, '-f', 'manifests', '--console-port', '0');
    address = /^Console +(\S+)/m.exec(local.said())?.[1] ?? '';
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await local?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await begin({ viewport: { width: 1_280, height: 800 } });
  });
  afterEach(async () => {
    await context.close();
    expect(trouble.splice(0)).toEqual([]);
  });

  /** Opens a browser of its own with the printed address. */
  async function begin(options: Parameters<Browser['newContext']>[0]): Promise<void> {
    context = await browser.newContext(options);
    context.setDefaultTimeout(PATIENCE.timeout);
    page = await context.newPage();
    page.on('pageerror', (error) => trouble.push(String(error)));
    page.on('dialog', (dialog) => trouble.push(`dialog ${dialog.message()}`));
    page.on('console', (message) => {
      // Chromium tells of every refusal; one test asks for what is no name.
      const isAsked = message.location().url.includes('/api/v1/names/%3C');
      if (['error', 'warning'].includes(message.type()) && !isAsked) trouble.push(message.text());
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== new URL(address).origin) trouble.push(`asks ${request.url()}`);
    });
    await page.goto(address);
    await page.waitForSelector('h1');
  }

  /** Goes to a view as a link that somebody sent does. */
  async function open(fragment: string): Promise<void> {
    await page.goto(new URL(fragment, address).href);
    await settled();
  }

  /** Until nothing is being read. */
  async function settled(): Promise<void> {
    await page.waitForSelector('footer .state');
    await vi.waitFor(
      async () => expect(await textOf(page.locator('main'))).not.toMatch(/(Reading|Searching) …/),
      PATIENCE,
    );
  }

  async function save(name: string, text: string): Promise<void> {
    const file = path.join(folder, 'manifests', name);
    await writeFile(`${file}.tmp`, text);
    await rename(`${file}.tmp`, file);
  }

  const row = (name: string) => page.locator(`main [data-name="${name}"]`).first();
  const names = () =>
    page.locator('main [data-name]').evaluateAll((all) => all.map((one) => one.getAttribute('data-name')));

  it('drops the token from the address, and needs the cookie', async () => {
    expect(page.url()).toBe(new URL('/', address).href);
    const stranger = await browser.newContext();
    const response = await (await stranger.newPage()).goto(new URL('/', address).href);
    expect(response?.status()).toBe(401);
    await stranger.close();
  });

  it('each screen has an address of its own, and the line with the state', async () => {
    for (const [screen, fragment] of Object.entries(SCREENS)) {
      await open(fragment);
      const current = await textOf(page.locator('header nav [aria-current=page]'));
      const heading = await textOf(page.locator('h1'));
      expect([current, heading], screen).toEqual(
        {
          names: ['Names', 'Names'],
          name: ['Names', 'www.example.org.'],
          waiting: ['Waiting', 'Waiting'],
          may: ['Who may', 'Who may'],
          'hosted-zones': ['Hosted zone', 'Hosted zones'],
          history: ['History', 'History'],
        }[screen],
      );
      expect(await textOf(page.locator('footer'))).toMatch(/Cluster default.*zone53 \d/s);
      expect(await page.title()).toContain('zone53');
      if (screen !== 'waiting' && screen !== 'hosted-zones') await picture(screen);
    }
  });

  it.each([
    ['a part of the name', 'www.exam', ['www.example.org.']],
    ['an object', 'Record team-a/two', ['two.example.org.']],
    ['a namespace', 'hostile/text', ['text.example.org.']],
    ['a value', '192.0.2.22', ['three.example.org.']],
    ['nothing', 'no-such-name', []],
  ])('searches by %s', async (_what, words, found) => {
    await open('#/waiting');
    await page.keyboard.press('/');
    await page.keyboard.type(words);
    const asked = () => new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('query');
    await vi.waitFor(() => expect(asked()).toBe(words), PATIENCE);
    await vi.waitFor(async () => expect(await names()).toEqual(found), PATIENCE);
    await page.reload();
    await vi.waitFor(async () => expect(await names()).toEqual(found), PATIENCE);
    expect(await page.locator('input[type=search]').inputValue()).toBe(words);
  });

  it('goes from the search to a name and back with the keyboard alone; / can be switched off', async () => {
    await open('#/names');
    await page.keyboard.press('/');
    await page.keyboard.type('www');
    await vi.waitFor(async () => expect(await names()).toEqual(['www.example.org.']), PATIENCE);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForSelector('article[data-name="www.example.org."]');
    await vi.waitFor(async () => expect(await textOf(page.locator(':focus'))).toBe('www.example.org.'), PATIENCE);
    await page.goBack();
    await vi.waitFor(async () => expect(await names()).toEqual(['www.example.org.']), PATIENCE);
    await page.getByRole('checkbox').uncheck();
    await page.locator('h1').focus();
    await page.keyboard.press('/');
    expect(await page.locator('input[type=search]:focus').count()).toBe(0);
    await page.reload();
    expect(await page.getByRole('checkbox').isChecked()).toBe(false);
  });

  it('shows of a name what asks for it, what Route 53 has, and its history', async () => {
    await open(SCREENS.name);
    const text = await textOf(page.locator('article'));
    for (const part of ['Record team-a/www', 'Adopted', 'Published', '192.0.2.10', 'zone53', 'create'])
      expect(text).toContain(part);
  });

  it('a change appears without being asked for, on each screen that shows it', async () => {
    await open('#/names?query=www');
    const second = await context.newPage();
    await second.goto(new URL(SCREENS.name, address).href);
    await second.waitForSelector('article h2');
    const third = await context.newPage();
    await third.goto(new URL('#/history?name=www.example.org.', address).href);
    await third.waitForSelector('main [data-name]');
    await save('records.yaml', RECORDS.join('').replace('192.0.2.10', '192.0.2.11'));
    await local.until(async () => (await local.said()).includes('192.0.2.11'));
    for (const one of [page, second, third]) {
      await one.bringToFront();
      await vi.waitFor(async () => expect(await textOf(one.locator('main'))).toContain('192.0.2.11'), PATIENCE);
    }
    expect(await third.locator('main [data-name]').count()).toBe(2);
  });

  it('keeps what somebody types in a filter while something changes', async () => {
    await open('#/history');
    await page.locator('input[name=object]').fill('Record team-a/o');
    await save('more.yaml', record('team-a', 'more', 'A', '192.0.2.99'));
    await row('more.example.org.').waitFor();
    expect(await page.locator('input[name=object]').inputValue()).toBe('Record team-a/o');
    await page.locator('input[name=object]').fill('Record team-a/one');
    await page.keyboard.press('Enter');
    await vi.waitFor(async () => expect(await names()).toEqual(['one.example.org.']), PATIENCE);
  });

  it('names and messages of tenants stay text', async () => {
    // The message of the refusal quotes the value.
    await save('hostile.yaml', hostile(`${MARKUP}\u202e`));
    await local.until(() => local.said().includes('Record hostile/refused: Accepted is False, InvalidSpec'));
    for (const [fragment, shown] of [
      ['#/names?query=text.example.org.', `${MARKUP} \\226\\128\\174gnp.exe`],
      ['#/names/text.example.org.', `${MARKUP} \\226\\128\\174gnp.exe`],
      ['#/names/refused.example.org.', `${MARKUP}\\u202e`],
      ['#/history?namespace=hostile', MARKUP],
      ['#/names/%3Cb%3E%E2%80%AE', '<b>\\u202e'],
      ['#/names?query=%3Cb%3E%E2%80%AE', '<b>\\u202e'],
      ['#/waiting', ''],
    ] as const) {
      await vi.waitFor(async () => {
        await open(fragment);
        expect((await textOf(page.locator('main'))).replaceAll('\\"', '"'), fragment).toContain(shown);
      }, PATIENCE);
      const text = await textOf(page.locator('main'));
      expect(text, fragment).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      expect(await page.locator('img, b').count(), fragment).toBe(0);
    }
  });

  it('answers who may have a name, with the rule that decides', async () => {
    await open('#/may');
    await page.locator('input[name=namespace]').fill('team-a');
    await page.locator('input[name=name]').fill('new.example.org.');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.answer[data-name="new.example.org."]');
    expect(await textOf(page.locator('.answer'))).toMatch(/^Yes.*spec\.delegations\[0\]/s);
    await page.locator('input[name=namespace]').fill('team-b');
    await page.keyboard.press('Enter');
    await vi.waitFor(
      async () => expect(await textOf(page.locator('.answer'))).toMatch(/^No.*DelegationDenied/s),
      PATIENCE,
    );
    await open(new URL(page.url()).hash);
    expect(await textOf(page.locator('.answer'))).toMatch(/^No/);
    await row('example.org.').waitFor();
  });

  it('shows of a hosted zone what the ledger knows, and what Route 53 has when it is asked for', async () => {
    await open('#/hosted-zones');
    await row('example.org.').getByRole('link').first().click();
    await row('www.example.org.').waitFor();
    expect(await textOf(page.locator('.facts'))).toMatch(/Guard.*Quota.*Lease.*Last sweep/s);
    await page.getByRole('link', { name: 'Read Route 53' }).click();
    await vi.waitFor(async () => expect(await textOf(page.locator('main'))).toContain('ns-'), PATIENCE);
    await page.getByRole('link', { name: /route53$/ }).click();
    await vi.waitFor(async () => expect(await page.locator('tbody tr').count()).toBeGreaterThan(0), PATIENCE);
    expect(
      new Set(await page.locator('tbody tr').evaluateAll((all) => all.map((one) => one.getAttribute('data-name')))),
    ).toEqual(new Set(['example.org.']));
  });

  it('saves the history as JSON and as CSV', async () => {
    await open('#/history?name=one.example.org.');
    const saved = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByText(name, { exact: true }).click(),
      ]);
      return readFile(await download.path(), 'utf8');
    };
    const { entries } = JSON.parse(await saved('Export JSON')) as {
      readonly entries: readonly { readonly name: string }[];
    };
    expect(entries.map(({ name }) => name)).toEqual(['one.example.org.']);
    expect((await saved('Export CSV')).split('\r\n')).toMatchObject([
      expect.stringMatching(/^at,name,type,/),
      expect.stringMatching(/,one\.example\.org\.,A,/),
      '',
    ]);
  });

  it.each(['light', 'dark'] as const)('axe finds nothing on any screen in %s mode', async (colorScheme) => {
    await context.close();
    for (const width of [320, 1_280]) {
      await begin({ viewport: { width, height: 800 }, colorScheme });
      for (const [screen, fragment] of Object.entries(SCREENS)) {
        await open(fragment);
        expect(await violations(), `${screen} at ${width}`).toEqual([]);
      }
      if (width === 320) await context.close();
    }
  });

  it.each([320, 760, 1_280, 2_560])('no screen is wider than %d pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    for (const [screen, fragment] of Object.entries(SCREENS)) {
      await open(fragment);
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(wide, screen).toBeLessThanOrEqual(width);
    }
  });

  async function violations(): Promise<readonly string[]> {
    await page.evaluate(axe.source);
    const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as AxeResults;
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }

  it('a hold shows its digest, and goes after the annotation', async () => {
    await open('#/waiting');
    expect(await page.locator('[data-digest]').count()).toBe(0);
    await save('records.yaml', RECORDS.slice(0, 1).join('').replace('192.0.2.10', '192.0.2.11'));
    await page.waitForSelector('[data-digest]');
    await vi.waitFor(async () => expect(await names()).toContain('six.example.org.'), PATIENCE);
    const held = await page
      .locator('[data-digest]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-digest') ?? ''));
    expect(new Set(held).size).toBe(held.length);
    const [digest = ''] = held;
    const card = await textOf(page.locator(`[data-digest="${digest}"]`));
    expect(card).toMatch(new RegExp(`kubectl.* annotate .*zone53\\.dev/acknowledge-plan=${digest}`, 's'));
    expect(card).toContain(`zone53.dev/acknowledge-plan: ${digest}`);
    expect(await violations()).toEqual([]);
    await picture('waiting');
    await save(
      'zone.yaml',
      ZONE.replace(
        'namespace: platform }',
        `namespace: platform, annotations: { zone53.dev/acknowledge-plan: "${digest}" } }`,
      ),
    );
    await page.waitForSelector('[data-digest]', { state: 'detached' });
    await vi.waitFor(async () => expect(await names()).not.toContain('six.example.org.'), PATIENCE);
    await open('#/names?query=team-a');
    expect(await names()).not.toContain('six.example.org.');
  });

  async function picture(name: string): Promise<void> {
    if (process.env.SCREENSHOTS === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    await page.setViewportSize({ width: 960, height: 540 });
    await page.evaluate('scrollTo(0, 0)');
    await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
  }
});
