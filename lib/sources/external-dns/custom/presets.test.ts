// The presets, with the facts of external-dns' own tests: they give the endpoints that external-dns expects there, but
// for what docs/sources.md names ("The sources of external-dns").
import { describe, expect, test } from 'vitest';
import { endpointsOf, type Written } from '../../../../test/support/custom-endpoints.ts';
import { DEFAULT_SETTINGS, type SourceSettings } from '../../../objects/source-settings.ts';
import { type CustomRow, compileRow, customSource } from './custom-source.ts';
import { PRESETS, type PresetName } from './presets.ts';

const AT = 'external-dns.kubernetes.io/';
const BEFORE = 'external-dns.alpha.kubernetes.io/';

function made(
  preset: PresetName,
  object: Written,
  {
    related = {},
    row = {},
    settings = {},
  }: {
    readonly related?: Readonly<Record<string, Written>>;
    readonly row?: Partial<CustomRow>;
    readonly settings?: Partial<SourceSettings>;
  } = {},
) {
  const compiled = compileRow({ ...PRESETS[preset], ...row });
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join('; '));
  return endpointsOf(customSource(compiled.program, { ...DEFAULT_SETTINGS, ...settings }), object, related);
}

const linesOf = (...asked: Parameters<typeof made>) => made(...asked).lines;

function annotated(annotations: Readonly<Record<string, string>>): Pick<Written, 'metadata'> {
  return { metadata: { annotations } };
}

function balanced(ips: readonly string[], hostnames: readonly string[] = []) {
  return { loadBalancer: { ingress: [...ips.map((ip) => ({ ip })), ...hostnames.map((hostname) => ({ hostname }))] } };
}

/** The Service of Istio's default installation, with these addresses. */
function gatewayService(ips: readonly string[], hostnames: readonly string[] = [], externalIPs?: readonly string[]) {
  const spec = externalIPs === undefined ? {} : { externalIPs };
  return { related: { 'istio-system/istio-ingressgateway': { spec, status: balanced(ips, hostnames) } } };
}

test('the presets read the kinds that external-dns reads', () => {
  const read = Object.values(PRESETS).map(({ group, version, resource, kind }) =>
    [`${group}/${version}`, resource, kind].join(' '),
  );
  expect(read).toEqual([
    'networking.istio.io/v1 gateways Gateway',
    'networking.istio.io/v1 virtualservices VirtualService',
    'traefik.io/v1alpha1 ingressroutes IngressRoute',
    'projectcontour.io/v1 httpproxies HTTPProxy',
    'route.openshift.io/v1 routes Route',
  ]);
});

describe('istio-gateway', () => {
  const gateway = (...hosts: readonly (readonly string[])[]) => ({
    spec: { servers: hosts.map((of) => ({ hosts: of })) },
  });

  test.each([
    ['a host name of the load balancer', [['foo.bar']], [[], ['lb.com']], ['foo.bar. - CNAME lb.com.']],
    ['a host with a namespace', [['my-namespace/foo.bar']], [[], ['lb.com']], ['foo.bar. - CNAME lb.com.']],
    ['an address of the load balancer', [['foo.bar']], [['8.8.8.8'], []], ['foo.bar. - A 8.8.8.8']],
    [
      'hosts of several servers',
      [['a.foo.bar'], ['b.foo.bar', './c.foo.bar']],
      [['8.8.8.8'], []],
      ['a.foo.bar. - A 8.8.8.8', 'b.foo.bar. - A 8.8.8.8', 'c.foo.bar. - A 8.8.8.8'],
    ],
    ['a wildcard', [['*.foo.bar']], [['8.8.8.8'], []], ['*.foo.bar. - A 8.8.8.8']],
    ['no server', [], [['8.8.8.8'], ['elb.com']], []],
    ['an empty host', [['']], [['8.8.8.8'], ['elb.com']], []],
    ['any host', [['*', '*/*']], [['8.8.8.8'], ['elb.com']], []],
  ] as const)('%s', (_, hosts, [ips, hostnames], lines) => {
    expect(made('istio-gateway', gateway(...hosts), gatewayService(ips, hostnames))).toEqual({
      ...{ lines, wrong: [], waits: false },
    });
  });

  test('addresses and host names: of several host names the first', () => {
    const of = gatewayService(['8.8.8.8', '127.0.0.1'], ['elb.com', 'alb.com']);
    expect(made('istio-gateway', gateway(['foo.bar']), of)).toEqual({
      lines: ['foo.bar. - A 8.8.8.8,127.0.0.1', 'foo.bar. - CNAME alb.com.'],
      wrong: [expect.stringContaining('left out: elb.com.')],
      waits: false,
    });
  });

  test('externalIPs of the Service come before its load balancer', () => {
    expect(linesOf('istio-gateway', gateway(['foo.bar']), gatewayService(['8.8.8.8'], [], ['1.1.1.1']))).toEqual([
      'foo.bar. - A 1.1.1.1',
    ]);
  });

  test('waits without the Service, and without its addresses', () => {
    const waits = { lines: [], wrong: [], waits: true };
    expect(made('istio-gateway', gateway(['foo.bar']))).toEqual(waits);
    expect(made('istio-gateway', gateway(['foo.bar']), gatewayService([]))).toEqual(waits);
  });

  test.each([
    [
      { [`${AT}hostname`]: 'dns-through-hostname.com', [`${BEFORE}ttl`]: '6' },
      ['example.org. 6 A 8.8.8.8', 'dns-through-hostname.com. 6 A 8.8.8.8'],
    ],
    [{ [`${AT}target`]: 'gateway-target.com' }, ['example.org. - CNAME gateway-target.com.']],
    [{ [`${AT}controller`]: 'some-other-tool' }, []],
    [{ [`${AT}controller`]: 'dns-controller' }, ['example.org. - A 8.8.8.8']],
  ])('the annotations %j', (annotations, lines) => {
    const object = { ...gateway(['example.org']), ...annotated(annotations) };
    expect(linesOf('istio-gateway', object, gatewayService(['8.8.8.8']))).toEqual(lines);
  });

  test('a template names a Gateway without hosts', () => {
    const settings = { hostnameTemplate: '{name}.ext-dns.test.com' };
    expect(linesOf('istio-gateway', gateway(['*']), { ...gatewayService(['8.8.8.8']), settings })).toEqual([
      'x.ext-dns.test.com. - A 8.8.8.8',
    ]);
  });

  test('another Service', () => {
    const namespace = 'object.metadata.namespace';
    const row = { related: { ...PRESETS['istio-gateway'].related, namespace, name: 'object.spec.selector.istio' } };
    const related = { 'team/inner': { spec: {}, status: balanced(['8.8.4.4']) } };
    const object = {
      metadata: { namespace: 'team' },
      spec: { selector: { istio: 'inner' }, servers: [{ hosts: ['foo.bar'] }] },
    };
    expect(linesOf('istio-gateway', object, { row, related })).toEqual(['foo.bar. - A 8.8.4.4']);
  });
});

describe('istio-virtualservice', () => {
  test.each([
    ['one Gateway', ['mygw'], ['foo.bar'], ['foo.bar. - A 8.8.8.8']],
    ['a Gateway of another namespace', ['istio-system/fake1'], ['foo.bar'], ['foo.bar. - A 8.8.8.8']],
    ['two Gateways', ['gw1', 'gw2'], ['example.org'], ['example.org. - A 8.8.8.8']],
    ['a Gateway and the mesh', ['mesh', 'gw1'], ['example.org'], ['example.org. - A 8.8.8.8']],
    ['two hosts', ['gw'], ['a.org', 'b.org'], ['a.org. - A 8.8.8.8', 'b.org. - A 8.8.8.8']],
    ['no Gateway', [], ['foo.bar'], []],
    ['the mesh alone', ['mesh'], ['foo.bar'], []],
    ['no host', ['mygw'], [], []],
    ['an empty host', ['mygw'], [''], []],
    ['any host', ['mygw'], ['*'], []],
  ])('%s', (_, gateways, hosts, lines) => {
    expect(made('istio-virtualservice', { spec: { gateways, hosts } }, gatewayService(['8.8.8.8']))).toEqual({
      ...{ lines, wrong: [], waits: false },
    });
  });

  test.each([
    [
      { [`${AT}hostname`]: 'dns-through-hostname.com' },
      ['example.org. - A 1.2.3.4', 'dns-through-hostname.com. - A 1.2.3.4'],
    ],
    [{ [`${AT}target`]: 'virtualservice-target.com' }, ['example.org. - CNAME virtualservice-target.com.']],
    [{ [`${BEFORE}ttl`]: '6' }, ['example.org. 6 A 1.2.3.4']],
  ])('the annotations %j', (annotations, lines) => {
    const object = { spec: { gateways: ['fake1'], hosts: ['example.org'] }, ...annotated(annotations) };
    expect(linesOf('istio-virtualservice', object, gatewayService(['1.2.3.4']))).toEqual(lines);
  });

  test('waits without the Service', () => {
    const object = { spec: { gateways: ['mygw'], hosts: ['foo.bar'] } };
    expect(made('istio-virtualservice', object)).toEqual({ lines: [], wrong: [], waits: true });
  });
});

describe('traefik-ingressroute', () => {
  const route = (...matches: readonly string[]) => ({ spec: { routes: matches.map((match) => ({ match })) } });
  const target = annotated({ [`${AT}target`]: 'target.domain.tld' });

  test.each([
    ['Host', ['Host(`b.example.com`)'], ['b']],
    ['HostHeader', ['HostHeader(`c.example.com`)'], ['c']],
    ['two rules in one', ['Host(`d.example.com`) || Host(`e.example.com`)'], ['d', 'e']],
    ['two hosts of one rule', ['Host(`g.example.com`, `h.example.com`)'], ['g', 'h']],
    ['two routes', ['Host(`a.example.com`)', 'PathPrefix(`/x.y`) && Host(`b.example.com`)'], ['a', 'b']],
    ['white space', ['Host( `a.example.com` , `b.example.com` ) && Path(`/c.html`)'], ['a', 'b']],
    ['double quotes', ['Host("a.example.com") || Host(`b.example.com`, "c.example.com")'], ['a', 'b', 'c']],
    ['any host', ['Host(`*`)'], []],
    ['a regular expression', ['HostRegexp(`^.+\\.example\\.com$`)'], []],
    ['a header of the name', ['Headers(`Host`, `a.example.com`)'], []],
  ])('%s', (_, matches, names) => {
    expect(made('traefik-ingressroute', { ...route(...matches), ...target })).toEqual({
      ...{ lines: names.map((name) => `${name}.example.com. - CNAME target.domain.tld.`), wrong: [], waits: false },
    });
  });

  test.each([
    [
      'ingressroutetcps',
      'IngressRouteTCP',
      ['HostSNI(`d.example.com`) || HostSNI(`e.example.com`)', 'HostSNI(`*`)'],
      ['d', 'e'],
    ],
    ['ingressrouteudps', 'IngressRouteUDP', [], []],
  ])('%s by the same expressions', (resource, kind, matches, names) => {
    const row = { key: 'other', resource, kind };
    const annotations = { [`${AT}target`]: '192.0.2.1', [`${AT}hostname`]: 'f.example.com' };
    const { spec } = route(...matches);
    // Routes of UDP have no rule.
    const object = { spec: { routes: [...spec.routes, {}] }, ...annotated(annotations) };
    expect(made('traefik-ingressroute', object, { row })).toEqual({
      lines: [...names, 'f'].map((name) => `${name}.example.com. - A 192.0.2.1`),
      ...{ wrong: [], waits: false },
    });
  });

  test('routing of the annotations', () => {
    const annotations = {
      [`${AT}hostname`]: 'a.example.com',
      [`${AT}target`]: 'target.domain.tld',
      [`${AT}aws-weight`]: '10',
      [`${AT}set-identifier`]: 'one',
    };
    expect(linesOf('traefik-ingressroute', annotated(annotations))).toEqual([
      'a.example.com. - CNAME target.domain.tld. one {"kind":"weight","weight":10}',
    ]);
  });

  test('waits without a target, and has the default targets of the operator', () => {
    expect(made('traefik-ingressroute', route('Host(`b.example.com`)'))).toEqual({ lines: [], wrong: [], waits: true });
    const settings = { defaultTargets: ['192.0.2.9'] };
    expect(linesOf('traefik-ingressroute', route('Host(`b.example.com`)'), { settings })).toEqual([
      'b.example.com. - A 192.0.2.9',
    ]);
  });
});

describe('contour-httpproxy', () => {
  const proxy = (fqdn: string, status: object, currentStatus = 'valid') => ({
    spec: { virtualhost: { fqdn } },
    status: { currentStatus, ...status },
  });
  const nothing = { lines: [], wrong: [], waits: false };

  test.each([
    ['a host name', balanced([], ['lb.com']), ['foo.bar. - CNAME lb.com.']],
    ['an address', balanced(['8.8.8.8']), ['foo.bar. - A 8.8.8.8']],
    ['both', balanced(['8.8.8.8'], ['lb.com']), ['foo.bar. - A 8.8.8.8', 'foo.bar. - CNAME lb.com.']],
  ])('%s of the load balancer', (_, status, lines) => {
    expect(made('contour-httpproxy', proxy('foo.bar', status))).toEqual({ ...nothing, lines });
  });

  test('no host, and a proxy that another includes', () => {
    expect(made('contour-httpproxy', proxy('', balanced(['8.8.8.8'])))).toEqual(nothing);
    const { status } = proxy('', balanced(['8.8.8.8']));
    expect(made('contour-httpproxy', { spec: { routes: [] }, status })).toEqual(nothing);
  });

  test('an invalid one waits, and so does one without an address', () => {
    const waits = { ...nothing, waits: true };
    expect(made('contour-httpproxy', proxy('foo.bar', balanced(['8.8.8.8']), 'invalid'))).toEqual(waits);
    expect(made('contour-httpproxy', { spec: { virtualhost: { fqdn: 'foo.bar' } } })).toEqual(waits);
    expect(made('contour-httpproxy', proxy('foo.bar', {}))).toEqual(waits);
  });

  test.each([
    [{ [`${AT}controller`]: 'some-other-tool' }, []],
    [{ [`${AT}target`]: 'target.com' }, ['example.org. - CNAME target.com.']],
    [
      { [`${AT}hostname`]: 'a.example.org, b.example.org', [`${AT}ttl`]: '1m' },
      ['example.org. 60 A 8.8.8.8', 'a.example.org. 60 A 8.8.8.8', 'b.example.org. 60 A 8.8.8.8'],
    ],
  ])('the annotations %j', (annotations, lines) => {
    const object = { ...proxy('example.org', balanced(['8.8.8.8'])), ...annotated(annotations) };
    expect(linesOf('contour-httpproxy', object)).toEqual(lines);
  });
});

describe('openshift-route', () => {
  const admitted = (routerName: string, status = 'True') => ({
    ...{ host: 'my-domain.com', routerName, routerCanonicalHostname: `router-${routerName}.my-domain.com` },
    conditions: [{ type: 'Admitted', status }],
  });
  const route = (...ingress: readonly object[]) => ({ spec: { host: 'my-domain.com' }, status: { ingress } });
  const waits = { lines: [], wrong: [], waits: true };

  test('has the router that admitted it', () => {
    expect(linesOf('openshift-route', route(admitted('default')))).toEqual([
      'my-domain.com. - CNAME router-default.my-domain.com.',
    ]);
    expect(linesOf('openshift-route', route(admitted('default', 'False'), admitted('test')))).toEqual([
      'my-domain.com. - CNAME router-test.my-domain.com.',
    ]);
  });

  test('waits for a router, and for its canonical name', () => {
    expect(made('openshift-route', route())).toEqual(waits);
    expect(made('openshift-route', route(admitted('default', 'False')))).toEqual(waits);
    expect(made('openshift-route', route({ ...admitted('default'), routerCanonicalHostname: '' }))).toEqual(waits);
    expect(made('openshift-route', route({ routerCanonicalHostname: 'apps.my-domain.com' }))).toEqual(waits);
  });

  test('of two routers has the first in order of text, or the one that the row names', () => {
    const two = route(admitted('test'), admitted('default'));
    expect(made('openshift-route', two)).toMatchObject({
      lines: ['my-domain.com. - CNAME router-default.my-domain.com.'],
      wrong: [expect.stringContaining('left out: router-test.my-domain.com.')],
    });
    const targets =
      'object.status.?ingress.orValue([]).filter(i, i.?routerName.orValue("") == "test")' +
      '.map(i, i.?routerCanonicalHostname)';
    expect(linesOf('openshift-route', two, { row: { targets } })).toEqual([
      'my-domain.com. - CNAME router-test.my-domain.com.',
    ]);
  });

  test.each([
    [{ [`${BEFORE}controller`]: 'foo' }, []],
    [{ [`${BEFORE}target`]: 'my.site.foo.com' }, ['my-domain.com. - CNAME my.site.foo.com.']],
  ])('the annotations %j', (annotations, lines) => {
    expect(linesOf('openshift-route', { ...route(), ...annotated(annotations) })).toEqual(lines);
  });
});
