// The contract of the HostedZones port on moto, a Route 53 written by others.
import { hostedZonesContract } from '../contract/hosted-zones/hosted-zones-contract.ts';
import { describeWithEngine, startMoto } from '../engines/engines.ts';

describeWithEngine('moto', 'hosted zones on moto', () => {
  hostedZonesContract('moto', startMoto);
});
