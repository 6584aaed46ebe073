// The metrics of the functions, written as EMF lines into the log (Powertools), which needs no call to AWS. Dashboards
// and alarms use the same names: infra/observability.ts takes them from functions/runtime/metric-names.ts.
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { LEAN_METRICS, METRICS, type Metric } from './metric-names.ts';

/** Records a value. With `dimensions` it is recorded twice: without them and with them. */
export type Meter = (metric: Metric, value: number, dimensions?: Readonly<Record<string, string>>) => void;

/**
 * A meter over Powertools' metrics, which its middleware flushes at the end of every invocation. `lean`: it records
 * only the metrics of `LEAN_METRICS`, and never by dimension, because CloudWatch charges for each.
 */
export function emfMeter(metrics: Pick<Metrics, 'addMetric' | 'singleMetric'>, lean: boolean): Meter {
  return (metric, value, dimensions) => {
    if (lean && !LEAN_METRICS.includes(metric)) return;
    const unit = MetricUnit[METRICS[metric]];
    metrics.addMetric(metric, unit, value);
    if (lean || dimensions === undefined) return;
    const single = metrics.singleMetric();
    for (const [name, text] of Object.entries(dimensions)) single.addDimension(name, text);
    single.addMetric(metric, unit, value);
  };
}
