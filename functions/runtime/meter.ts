// The figures that the functions give, and how they leave: as EMF lines in the log (Powertools), which cost no call.
// The names are what dashboards and alarms look for; infra/observability.ts takes them from
// functions/runtime/metric-names.ts.
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS, type Metric } from './metric-names.ts';

/** Takes a figure; `dimensions` make it a metric of its own beside the one without. */
export type Meter = (metric: Metric, value: number, dimensions?: Readonly<Record<string, string>>) => void;

/** A meter over Powertools' metrics, which its middleware flushes at the end of every invocation. */
export function emfMeter(metrics: Metrics): Meter {
  return (metric, value, dimensions) => {
    const unit = MetricUnit[METRICS[metric]];
    metrics.addMetric(metric, unit, value);
    if (dimensions === undefined) return;
    const single = metrics.singleMetric();
    for (const [name, text] of Object.entries(dimensions)) single.addDimension(name, text);
    single.addMetric(metric, unit, value);
  };
}
