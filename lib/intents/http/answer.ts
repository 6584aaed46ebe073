// The intent API as one function from a request to its answer, whoever serves it.
import { labelProblem } from '../model/names.ts';
import { appStatus, instantiateApp, listManifests, terminateApp } from './answer-apps.ts';
import { createPair, deletePair, listPairs, putPair, readPair } from './answer-pairs.ts';
import { createRecord, deleteRecord, listRecords, putRecord, readRecord } from './answer-records.ts';
import type { IntentDeps } from './deps.ts';
import { type Answer, json, problem, type Request } from './message.ts';
import { openapi } from './openapi.ts';
import { pageQuery } from './pages.ts';
import { tooLarge } from './read-body.ts';
import { type Route, routeOf } from './route.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Act = () => Promise<Answer>;

/** Answers a request. Throws when the world does not answer: the server makes a 500 of that. */
export async function answerIntents(deps: IntentDeps, request: Request): Promise<Answer> {
  const large = tooLarge(request);
  if (large !== null) return large;
  const routed = routeOf(request.target);
  if (routed.kind === 'unknown')
    return problem(404, `There is no ${request.target.split('?')[0]}; /openapi.json has every path`);
  if (routed.kind === 'bad-name') {
    const { parameter, name } = routed;
    return problem(400, `"${name}" in the path is no name of a ${parameter}: ${labelProblem()}`, [
      { parameter, detail: labelProblem() },
    ]);
  }
  const acts = actsOf(deps, routed.route, request, routed);
  if (!('acts' in acts)) return acts;
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const act = acts.acts[method as Method];
  if (act !== undefined) return act();
  const allow = Object.keys(acts.acts).join(', ');
  return problem(405, `${request.method} is not served here, but ${allow}`, [], { allow });
}

type Acts = { readonly acts: Partial<Record<Method, Act>> };

function actsOf(
  deps: IntentDeps,
  route: Route,
  request: Request,
  at: { readonly path: string; readonly query: URLSearchParams },
): Acts | Answer {
  const page = pageQuery(at.query);
  if ('parameter' in page) return problem(400, `${page.parameter}: ${page.detail}`, [page]);
  switch (route.kind) {
    case 'openapi':
      return { acts: { GET: async () => json(200, openapi()) } };
    case 'records':
      return {
        acts: {
          GET: () => listRecords(deps, route.project, page, at),
          POST: () => createRecord(deps, route.project, request),
        },
      };
    case 'record':
      return {
        acts: {
          GET: () => readRecord(deps, route.project, route.name),
          PUT: () => putRecord(deps, route.project, route.name, request),
          DELETE: () => deleteRecord(deps, route.project, route.name, request),
        },
      };
    case 'pairs':
      return {
        acts: {
          GET: () => listPairs(deps, route.of, page, at),
          POST: () => createPair(deps, route.of, request, at.path),
        },
      };
    case 'pair':
      return {
        acts: {
          GET: () => readPair(deps, route.of, route.name, at.query),
          PUT: () => putPair(deps, route.of, route.name, request),
          DELETE: () => deletePair(deps, route.of, route.name, request),
        },
      };
    case 'manifests':
      return { acts: { GET: () => listManifests(deps, route.project, route.app, page, at) } };
    case 'status':
      return { acts: { GET: () => appStatus(deps, route.project, route.app, page, at) } };
    case 'instantiate':
      return { acts: { POST: () => instantiateApp(deps, route.project, route.app, request) } };
    case 'terminate':
      return { acts: { POST: () => terminateApp(deps, route.project, route.app) } };
  }
}
