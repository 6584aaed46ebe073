// The Route 53 contract on moto, a second implementation by other people: what both keep is more than our own opinion.
// Where moto is looser than Route 53, the case is skipped with the reason in its name.
import { describe, expect, it } from 'vitest';
import { MOTO_LOOSER } from '../contract/route53/moto-looser.ts';
import { findMotoServer, startMoto } from '../contract/route53/moto-server.ts';
import { route53Contract } from '../contract/route53/route53-contract.ts';

const moto = findMotoServer();

if (moto !== null) route53Contract('moto', () => startMoto(moto), { looser: MOTO_LOOSER });
else {
  describe('the Route 53 contract on moto', () => {
    const reason = 'moto_server is not installed: npm run engines';
    if (process.env.CI) it('needs its engine', () => expect.fail(reason));
    else it.skip(`needs its engine (${reason})`, () => {});
  });
}
