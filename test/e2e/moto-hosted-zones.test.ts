// The HostedZones port on moto, somebody else's Route 53.
import { hostedZonesContract } from '../contract/hosted-zones/hosted-zones-contract.ts';
import { describeWithEngine, startMoto } from '../engines/engines.ts';

describeWithEngine('moto', 'hosted zones on moto', () => {
  hostedZonesContract('moto', startMoto);
});
