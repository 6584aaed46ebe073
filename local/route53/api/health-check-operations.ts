// The operations of health checks that record sets need, and how their health is said. Source: API reference
// 2013-04-01. Last verified 2026-11-30.
import type { HealthCheckSnapshot } from '../model/snapshot.ts';
import type { Route53State } from '../model/state.ts';
import { invalidInput } from '../values/route53-error.ts';
import { pageContent } from './format-response.ts';
import { created, maxItems, type Operation, type OperationResponse, ok } from './operation.ts';
import { checkConfig, readCreateHealthCheck, readUpdateHealthCheck } from './read-health-check.ts';
import type { XmlContent } from './xml.ts';

export const HEALTH_CHECK_OPERATIONS: readonly Operation[] = [
  {
    name: 'CreateHealthCheck',
    method: 'POST',
    path: /^healthcheck$/,
    run: (state, { body }) => {
      const { callerReference, config } = readCreateHealthCheck(body);
      const made = state.createHealthCheck(callerReference, config);
      return created('CreateHealthCheckResponse', { HealthCheck: content(made) }, `healthcheck/${made.id}`);
    },
  },
  {
    name: 'ListHealthChecks',
    method: 'GET',
    path: /^healthcheck$/,
    run: (state, { query }) => {
      const marker = query.get('marker');
      const page = state.listHealthChecks({ marker, maxItems: maxItems(query) });
      return ok('ListHealthChecksResponse', {
        HealthChecks: { HealthCheck: page.items.map(content) },
        Marker: marker ?? '',
        ...pageContent(page),
        NextMarker: page.next?.id ?? null,
      });
    },
  },
  {
    name: 'GetHealthCheckCount',
    method: 'GET',
    path: /^healthcheckcount$/,
    run: (state) => ok('GetHealthCheckCountResponse', { HealthCheckCount: state.countHealthChecks() }),
  },
  {
    name: 'GetHealthCheck',
    method: 'GET',
    path: /^healthcheck\/([^/]+)$/,
    run: (state, { path: [id = ''] }) =>
      ok('GetHealthCheckResponse', { HealthCheck: content(state.getHealthCheck(id)) }),
  },
  {
    name: 'UpdateHealthCheck',
    method: 'POST',
    path: /^healthcheck\/([^/]+)$/,
    run: (state, { path: [id = ''], body }) => {
      const updated = state.updateHealthCheck(id, readUpdateHealthCheck(body), (config) =>
        checkConfig(String(config.Type), config),
      );
      return ok('UpdateHealthCheckResponse', { HealthCheck: content(updated) });
    },
  },
  {
    name: 'DeleteHealthCheck',
    method: 'DELETE',
    path: /^healthcheck\/([^/]+)$/,
    run: (state, { path: [id = ''] }) => {
      state.deleteHealthCheck(id);
      return ok('DeleteHealthCheckResponse', {});
    },
  },
];

/**
 * What Route 53 does not have: `PUT /health/<id>` says how a health check is, `healthy` or `unhealthy`, because none is
 * ever made here.
 */
export function putHealth(state: Pick<Route53State, 'setHealth'>, id: string, body: string): OperationResponse {
  const health = body.trim();
  if (health !== 'healthy' && health !== 'unhealthy') {
    throw invalidInput(`The health is not valid: '${health}', expected one of [healthy, unhealthy]`);
  }
  state.setHealth(id, health === 'healthy');
  return { status: 204, body: '' };
}

function content({ id, callerReference, config, version }: HealthCheckSnapshot): XmlContent {
  return { Id: id, CallerReference: callerReference, HealthCheckConfig: config, HealthCheckVersion: version };
}
