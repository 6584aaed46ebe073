// A Route 53 server that gives the answers that a test sets, and the adapter that calls it.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { route53HostedZones } from '../../lib/adapters/route53/route53-hosted-zones.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';

/** An answer; status 0 breaks the connection, -1 never answers. */
export type Answer = { readonly status: number; readonly body: string };
export const NAMESPACE = 'xmlns="https://route53.amazonaws.com/doc/2013-04-01/"';
export const refusal = (status: number, code: string, message = 'why'): Answer => ({
  status,
  body: `<ErrorResponse ${NAMESPACE}><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
});
export const bare = (...messages: string[]): Answer => ({
  status: 400,
  body: `<InvalidChangeBatch ${NAMESPACE}><Messages>${messages.map((m) => `<Message>${m}</Message>`).join('')}</Messages><RequestId>1</RequestId></InvalidChangeBatch>`,
});
export const accepted: Answer = {
  status: 200,
  body: `<ChangeResourceRecordSetsResponse ${NAMESPACE}><ChangeInfo><Id>/change/C1</Id><Status>PENDING</Status><SubmittedAt>2026-01-01T00:00:00Z</SubmittedAt></ChangeInfo></ChangeResourceRecordSetsResponse>`,
};

export const zone: Answer = {
  status: 200,
  body: `<GetHostedZoneResponse ${NAMESPACE}><HostedZone><Id>/hostedzone/Z1</Id><Name>a\\052b.example.</Name><CallerReference>r</CallerReference><Config><PrivateZone>false</PrivateZone></Config></HostedZone><DelegationSet><NameServers><NameServer>NS-2.awsdns-1.net</NameServer><NameServer>ns-1.awsdns-1.net</NameServer></NameServers></DelegationSet></GetHostedZoneResponse>`,
};

export const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

/** A server for the tests of a file, with the requests that it got since the test began. */
export function answeringRoute53() {
  let server: Server;
  const route53 = {
    url: '',
    /** Given one after another. The last one is repeated. */
    answers: [] as Answer[],
    requests: 0,
    taken: 0,
    budget: {
      take: async () => {
        route53.taken += 1;
      },
    },
    zonesAt,
  };
  function zonesAt(endpoint: string, requestTimeout = 2_000): HostedZones {
    const requestHandler = { requestTimeout, throwOnRequestTimeout: true };
    const client = route53Client({ endpoint, credentials, requestHandler });
    return route53HostedZones(client, route53.budget, { sleep: async () => {}, random: () => 0 });
  }
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      route53.requests += 1;
      const { answers } = route53;
      const { status, body } = (answers.length > 1 ? answers.shift() : answers[0]) ?? accepted;
      if (status === 0) request.socket.destroy();
      else if (status > 0) response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    route53.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    route53.requests = 0;
    route53.taken = 0;
  });
  return route53;
}
