// The Route 53 contract on moto, a second implementation by other people: what both keep is more than our own opinion.
// Where moto is looser than Route 53, the case is skipped with the reason in its name.
import { MOTO_LOOSER } from '../contract/route53/moto-looser.ts';
import { route53Contract } from '../contract/route53/route53-contract.ts';
import { describeWithEngine, startMoto } from '../engines/engines.ts';

describeWithEngine('moto', 'the Route 53 contract on moto', () => {
  route53Contract('moto', startMoto, { looser: MOTO_LOOSER });
});
