// The API of the console: the parameters that a path takes, and the use case that answers. Only answers.ts says what an
// answer looks like.
import { InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { typeNumber } from '../../lib/dns/record-type.ts';
import { findRef, isNamespace } from '../../lib/objects/object-ref.ts';
import { readableHostedZones } from '../../lib/record-sets/list-hosted-zones.ts';
import { parseDnsName, parseMoment } from '../account/parse-asked.ts';
import { ROWS_MAX } from './answers.ts';
import { changesOf } from './changes.ts';
import { AFTER_ENTRIES, historyCsv, historyPage } from './history.ts';
import { hostedZoneAnswers, hostedZonesAnswerOf } from './hosted-zones.ts';
import { knownNames } from './known-names.ts';
import { nameAnswerOf } from './name-answer.ts';
import type { KnownName } from './name-rows.ts';
import { ProblemError } from './problem.ts';
import { statusAnswerOf } from './status.ts';
import { holdsIn, isWaiting } from './waiting.ts';
import type { ConsoleWorld } from './world.ts';
import { mayAnswerOf, zonesAnswerOf } from './zone-rows.ts';

/** Answers a path, with text if that is CSV. @throws ProblemError */
export type Answer = (path: string, query: URLSearchParams) => Promise<unknown>;

/** A text that one of the parsers of the command line takes; its error becomes that of the parameter. */
function parsed<T>(parse: (text: string) => T) {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });
}

const limit = z
  .string()
  .regex(/^0*[1-9]\d{0,8}$/, 'Write a number from 1 on.')
  .transform((text) => Math.min(Number(text), ROWS_MAX))
  .optional();
const paged = { limit, after: z.string().optional() };
const name = parsed(parseDnsName);
const namespace = z.string().refine(isNamespace, 'Write the name of a namespace.');
const hostedZoneId = z.string().transform((text) => text.replace(/^\/?hostedzone\//, ''));
const moment = parsed(parseMoment);

const QUERIES = {
  status: z.strictObject({}),
  names: z.strictObject({ query: z.string().max(1_000).optional(), namespace: z.string().optional(), ...paged }),
  name: z.strictObject({}),
  waiting: z.strictObject(paged),
  zones: z.strictObject(paged),
  may: z.strictObject({
    ...{ namespace, name },
    type: z
      .string()
      .transform((text) => text.toUpperCase())
      .refine((type) => typeNumber(type) !== null, 'Write a DNS record type, such as A.'),
    // A Zone delegates the same names in each view.
    view: z.enum(['public', 'private']).optional(),
  }),
  hostedZones: z.strictObject(paged),
  hostedZone: z.strictObject({ read: z.enum(['true', 'false']).default('false'), ...paged }),
  history: z.strictObject({
    name: name.optional(),
    object: z
      .string()
      .refine((text) => findRef(text) !== null, 'Write an object such as "Record team-a/www".')
      .optional(),
    namespace: z.string().optional(),
    'hosted-zone': hostedZoneId.optional(),
    cluster: z.string().optional(),
    since: moment.optional(),
    until: moment.optional(),
    format: z.enum(['json', 'csv']).default('json'),
    limit,
    after: z.string().regex(AFTER_ENTRIES, 'Write the "after" of an earlier answer.').optional(),
  }),
  changes: z.strictObject({
    since: z
      .string()
      .regex(/^\d{1,15}$/, 'Write the "now" of an earlier answer.')
      .optional(),
  }),
} as const;

const PREFIX = '/api/v1/';

/** The API over what the console reads. */
export function apiOf(world: ConsoleWorld): Answer {
  const { context } = world;
  const { ledger, log, clock } = context;
  const known = knownNames(world);
  const changes = changesOf(world);
  const hostedZone = hostedZoneAnswers(world, known);
  const hostedZones = () => readableHostedZones(ledger, log);

  const answers: Readonly<Record<string, (query: URLSearchParams) => Promise<unknown>>> = {
    status: async (query) => {
      parse(QUERIES.status, query);
      return statusAnswerOf(world, await hostedZones());
    },
    names: async (query) => {
      const { query: words = '', namespace: of, ...page } = parse(QUERIES.names, query);
      const { rows, after } = await known.page(await hostedZones(), searched(words, of), page);
      return { names: rows.map(({ row }) => row), after };
    },
    waiting: async (query) => {
      const page = parse(QUERIES.waiting, query);
      const all = await hostedZones();
      const { rows, after } = await known.page(all, (one) => isWaiting(one, clock.nowMs()), page);
      const holds = page.after === undefined ? all.flatMap((one) => holdsIn(one, world.kubectl)) : [];
      return { holds, names: rows.map(({ row }) => row), after };
    },
    zones: async (query) => zonesAnswerOf(world, parse(QUERIES.zones, query)),
    may: async (query) => mayAnswerOf(world, parse(QUERIES.may, query)),
    'hosted-zones': async (query) => hostedZonesAnswerOf(world, await hostedZones(), parse(QUERIES.hostedZones, query)),
    history: async (query) => {
      const { since, until, limit: most = ROWS_MAX, after, format, ...asks } = parse(QUERIES.history, query);
      const { 'hosted-zone': of, ...rest } = asks;
      const nowMs = clock.nowMs();
      const [sinceMs, untilMs] = [since?.(nowMs) ?? null, until?.(nowMs) ?? null];
      if (sinceMs !== null && untilMs !== null && sinceMs >= untilMs)
        throw new ProblemError(400, '"since" must be before "until".');
      const asked = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
      const question = { ...asked, ...(of !== undefined && { hostedZone: of }), sinceMs, untilMs, limit: most };
      return format === 'csv' ? historyCsv(context, question) : historyPage(context, question, after);
    },
    changes: async (query) => {
      const { since } = parse(QUERIES.changes, query);
      return changes(since === undefined ? null : Number(since));
    },
  };

  return async (path, query) => {
    const [resource = '', item, ...more] = path.startsWith(PREFIX) ? path.slice(PREFIX.length).split('/') : [];
    const answer = Object.hasOwn(answers, resource) ? answers[resource] : undefined;
    if (answer === undefined || more.length > 0) throw notFound(path);
    if (item === undefined) {
      // `changes` looks by itself, and all others see what it has found.
      if (resource !== 'changes') await world.look();
      return answer(query);
    }
    if (item === '' || (resource !== 'names' && resource !== 'hosted-zones')) throw notFound(path);
    await world.look();
    if (resource === 'names') {
      parse(QUERIES.name, query);
      return nameAnswerOf(world, known, parseOne(name, decoded(item), 'name'));
    }
    const { read, ...page } = parse(QUERIES.hostedZone, query);
    return hostedZone(await hostedZones(), parseOne(hostedZoneId, decoded(item), 'id'), {
      ...page,
      reads: read === 'true',
    });
  };
}

function notFound(path: string): ProblemError {
  return new ProblemError(404, `There is no ${path}. docs/console.md lists the paths.`);
}

/** Every word must be somewhere in the name, its objects or its values. */
function searched(words: string, namespace: string | undefined): (name: KnownName) => boolean {
  const all = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return ({ text, namespaces }) =>
    all.every((word) => text.includes(word)) &&
    (namespace === undefined || namespace === '' || namespaces.has(namespace));
}

/** Empty parameters count as absent, as a form sends them. */
function parse<S extends z.ZodType>(schema: S, query: URLSearchParams): z.output<S> {
  return parseOne(schema, Object.fromEntries([...query].filter(([, value]) => value !== '')), null);
}

function parseOne<S extends z.ZodType>(schema: S, value: unknown, what: string | null): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const said = result.error.issues.map(({ path, message }) => `${what ?? path.join('.')}: ${message}`);
  throw new ProblemError(400, said.join(' '));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ProblemError(400, 'The path has a "%" that begins no octet.');
  }
}
