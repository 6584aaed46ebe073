// The contract on our own Route 53, which has no looser cases.
import { startRoute53 } from '../../../local/route53/api/server.ts';
import { createRoute53State } from '../../../local/route53/model/state.ts';
import { route53Contract } from './route53-contract.ts';

route53Contract('local/route53', () => {
  const state = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random });
  return startRoute53({ state, limits: null });
});
