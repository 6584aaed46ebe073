// The Route 53 contract on moto, an implementation by other people, so that the contract is more than our own opinion.
// A case in which moto is looser than Route 53 is skipped, with the reason in its title.
import { MOTO_LOOSER } from '../contract/route53/moto-looser.ts';
import { route53Contract } from '../contract/route53/route53-contract.ts';
import { describeWithEngine, startMoto } from '../engines/engines.ts';

describeWithEngine('moto', 'the Route 53 contract on moto', () => {
  route53Contract('moto', startMoto, { looser: MOTO_LOOSER });
});
