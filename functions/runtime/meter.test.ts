import { Metrics } from '@aws-lambda-powertools/metrics';
import { describe, expect, it } from 'vitest';
import { emfMeter } from './meter.ts';

/** The metrics that are recorded, those by dimension with its name. */
function recorded(lean: boolean): readonly string[] {
  const names: string[] = [];
  class Recorder extends Metrics {
    readonly #by: string[] = [];
    override addDimension(name: string): this {
      this.#by.push(name);
      return this;
    }
    override addMetric(name: string): this {
      names.push([name, ...this.#by].join(' by '));
      return this;
    }
    override singleMetric(): Metrics {
      return new Recorder({ namespace: 'n', serviceName: 's' });
    }
  }
  const meter = emfMeter(new Recorder({ namespace: 'n', serviceName: 's' }), lean);
  meter('SweepAge', 1, { hostedZoneId: 'Z1' });
  meter('Hints', 2);
  return names;
}

describe('emfMeter()', () => {
  it('records a metric, and once more by its dimensions', () => {
    expect(recorded(false)).toEqual(['SweepAge', 'SweepAge by hostedZoneId', 'Hints']);
  });

  it('records without dimensions what lean alarms need, and nothing else', () => {
    expect(recorded(true)).toEqual(['SweepAge']);
  });
});
