import { describe, expect, test } from 'vitest';
import { linesOf } from '../../../test/support/source-lines.ts';
import { INGRESS } from './ingress.ts';

type Around = Parameters<typeof linesOf>[2];

const STATUS = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
const SPEC = {
  rules: [{ host: 'rule.example.org' }, {}, { host: '' }, { host: '*.rule.example.org' }],
  tls: [{ hosts: ['tls.example.org', 'rule.example.org'] }, { secretName: 'x' }],
};

function names(annotations: Readonly<Record<string, string>>, spec: object = SPEC, around: Around = {}) {
  const keys = Object.entries(annotations).map(([key, value]) => [
    key.includes('/') ? key : `external-dns.kubernetes.io/${key}`,
    value,
  ]);
  const lines = linesOf(INGRESS, { metadata: { annotations: Object.fromEntries(keys) }, spec, status: STATUS }, around);
  return { ...lines, names: lines.endpoints.map((line) => line.split(' ')[0]) };
}

const RULES = ['rule.example.org.', '*.rule.example.org.'];
const HOSTNAME = { hostname: 'note.example.org' };

describe('the hosts of an Ingress', () => {
  test.each([
    ['all', HOSTNAME, {}, [...RULES, 'tls.example.org.', 'note.example.org.']],
    ['those of rules', HOSTNAME, { hostnamesFrom: ['rules'] }, RULES],
    ['those of TLS', HOSTNAME, { hostnamesFrom: ['tls'] }, ['tls.example.org.', 'rule.example.org.']],
    ['those of the annotation', HOSTNAME, { hostnamesFrom: ['annotation'] }, ['note.example.org.']],
    ['none', HOSTNAME, { hostnamesFrom: [] }, []],
    [
      'the defined ones',
      { ...HOSTNAME, 'ingress-hostname-source': 'defined-hosts-only' },
      {},
      [...RULES, 'tls.example.org.'],
    ],
    ['the annotated ones', { ...HOSTNAME, 'ingress-hostname-source': 'annotation-only' }, {}, ['note.example.org.']],
    [
      'those that both allow',
      { ...HOSTNAME, 'ingress-hostname-source': 'defined-hosts-only' },
      { hostnamesFrom: ['tls', 'annotation'] },
      ['tls.example.org.', 'rule.example.org.'],
    ],
  ] as const)('%s', (_, annotations, settings, expected) => {
    const found = names(annotations, SPEC, { settings });
    expect(found.names).toEqual(expected);
    expect(found.problems).toEqual([]);
  });

  test('are both used when the source annotation is unknown, which is a problem', () => {
    const found = names({ ...HOSTNAME, 'ingress-hostname-source': 'both' });
    expect(found.names).toHaveLength(4);
    expect(found.problems).toEqual([
      expect.stringMatching(/^annotation external-dns\.kubernetes\.io\/ingress-hostname-source: "both" /),
    ]);
  });

  test('do not include IP addresses', () => {
    const found = names({}, { tls: [{ hosts: ['192.0.2.7', 'ok.example.org'] }] });
    expect(found.names).toEqual(['ok.example.org.']);
    expect(found.problems).toEqual(['spec.tls[0].hosts: "192.0.2.7" is not a name: it is an IP address']);
  });

  test('are made by the template when there is none', () => {
    const settings = { hostnameTemplate: '{name}.{namespace}.example.org' };
    expect(names({}, {}, { settings }).names).toEqual(['web.default.example.org.']);
    expect(names({}, SPEC, { settings }).names).not.toContain('web.default.example.org.');
  });

  test('are cut at a limit, and a problem says so', () => {
    const rules = Array.from({ length: 1_000 }, (_, index) => ({ host: `h${index}.example.org` }));
    const found = names({}, { rules });
    expect(found.names).toHaveLength(500);
    expect(found.problems).toHaveLength(1);
  });
});

describe('the class of an Ingress', () => {
  const settings = { classNames: ['alb', 'nginx'] };
  const old = (name: string) => ({ 'kubernetes.io/ingress.class': name });

  test.each([
    ['by its spec', { ...SPEC, ingressClassName: 'alb' }, {}, 3],
    ['by its spec before its annotation', { ...SPEC, ingressClassName: 'alb' }, old('other'), 3],
    ['another by its spec', { ...SPEC, ingressClassName: 'other' }, old('alb'), 0],
    ['by its annotation', SPEC, old('nginx'), 3],
    ['another by its annotation', SPEC, old('other'), 0],
    ['none', SPEC, {}, 0],
  ])('%s', (_, spec, annotations, count) => {
    expect(names(annotations as Record<string, string>, spec, { settings }).names).toHaveLength(count);
  });

  test('does not matter when the operator names none', () => {
    expect(names({}, { ...SPEC, ingressClassName: 'any' }).names).toHaveLength(3);
  });
});

test('an Ingress waits for its load balancer', () => {
  const spec = { rules: [{ host: 'www.example.org' }] };
  expect(linesOf(INGRESS, { spec })).toEqual({ endpoints: [], invalid: [], problems: [], waits: ['www.example.org.'] });
  const settings = { defaultTargets: ['lb.example.net'] };
  expect(linesOf(INGRESS, { spec }, { settings }).endpoints).toEqual(['www.example.org. CNAME lb.example.net.']);
  expect(linesOf(INGRESS, { spec: {} })).toEqual({ endpoints: [], invalid: [], problems: [], waits: [] });
});

test('an Ingress prefers its target annotation to its load balancer', () => {
  const spec = { rules: [{ host: 'www.example.org' }] };
  expect(names({ target: '203.0.113.1' }, spec).endpoints).toEqual(['www.example.org. A 203.0.113.1']);
});
