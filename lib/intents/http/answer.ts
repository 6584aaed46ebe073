// The intent API as one function from a request to an answer, independent of the server.
import { WRITE_A_LABEL } from '../model/names.ts';
import { appStatus, instantiateApp, listManifests, terminateApp } from './answer-apps.ts';
import { createPair, deletePair, listPairs, putPair, readPair } from './answer-pairs.ts';
import { createRecord, deleteRecord, listRecords, putRecord, readRecord } from './answer-records.ts';
import type { IntentDeps } from './deps.ts';
import { type Answer, json, problem, type Request } from './message.ts';
import { openapi } from './openapi.ts';
import { type At, type PageQuery, pageQuery } from './pages.ts';
import { tooLarge } from './read-body.ts';
import { type Route, routeOf } from './route.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Act = () => Promise<Answer>;

/** Answers a request. Throws when the ledger or the cluster fails, which the server answers with 500. */
export async function answerIntents(deps: IntentDeps, request: Request): Promise<Answer> {
  if (request.method !== 'HEAD') return answerInFull(deps, request);
  return { ...(await answerInFull(deps, { ...request, method: 'GET' })), body: '' };
}

async function answerInFull(deps: IntentDeps, request: Request): Promise<Answer> {
  const large = tooLarge(request);
  if (large !== null) return large;
  const routed = routeOf(request.target);
  if (routed.kind === 'unknown')
    return problem(404, `There is no ${request.target.split('?')[0]}; /openapi.json has every path`);
  if (routed.kind === 'bad-name') {
    const { parameter, name } = routed;
    return problem(400, `{${parameter}} in the path is "${name}": ${WRITE_A_LABEL}`, [
      { parameter, detail: WRITE_A_LABEL },
    ]);
  }
  const acts = actsOf(deps, routed.route, request, routed);
  const act = acts[request.method as Method];
  if (act !== undefined) return act();
  const allow = Object.keys(acts).map((method) => (method === 'GET' ? 'GET, HEAD' : method));
  return problem(405, `${request.method} is not served here, but ${allow.join(', ')}`, [], { allow: allow.join(', ') });
}

type Acts = Partial<Record<Method, Act>>;

function actsOf(deps: IntentDeps, route: Route, request: Request, at: At): Acts {
  /** Answers with the page that is asked for, or with the error in its parameters. */
  const paged = (act: (page: PageQuery) => Promise<Answer>) => async () => {
    const page = pageQuery(at);
    return 'parameter' in page ? problem(400, `${page.parameter}: ${page.detail}`, [page]) : act(page);
  };
  switch (route.kind) {
    case 'openapi':
      return { GET: async () => json(200, openapi()) };
    case 'records':
      return {
        GET: paged((page) => listRecords(deps, route.project, page)),
        POST: () => createRecord(deps, route.project, request),
      };
    case 'record':
      return {
        GET: () => readRecord(deps, route.project, route.name, request),
        PUT: () => putRecord(deps, route.project, route.name, request),
        DELETE: () => deleteRecord(deps, route.project, route.name, request),
      };
    case 'pairs':
      return {
        GET: paged((page) => listPairs(deps, route.of, page)),
        POST: () => createPair(deps, route.of, request, at.path),
      };
    case 'pair':
      return {
        GET: () => readPair(deps, route.of, route.name, at.query, request),
        PUT: () => putPair(deps, route.of, route.name, request),
        DELETE: () => deletePair(deps, route.of, route.name, request),
      };
    case 'manifests':
      return { GET: paged((page) => listManifests(deps, route.project, route.app, page)) };
    case 'status':
      return { GET: paged((page) => appStatus(deps, route.project, route.app, page)) };
    case 'instantiate':
      return { POST: () => instantiateApp(deps, route.project, route.app, request) };
    case 'terminate':
      return { POST: () => terminateApp(deps, route.project, route.app) };
  }
}
