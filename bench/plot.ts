// A plot as SVG text, drawn without a browser by the server-side renderer of Apache ECharts.
import { LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Plot } from './result.ts';

const WIDTH = 760;
const HEIGHT = 360;

use([LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

/** The plot, with a logarithmic axis for the values. A value that was not measured is a gap. */
export function drawPlot({ title, x, y, categories, series }: Plot): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: { text: title, left: 'center', textStyle: { fontSize: 14 } },
    legend: { bottom: 0 },
    grid: { left: 70, right: 30, top: 50, bottom: 75 },
    xAxis: {
      type: 'category',
      name: x,
      nameLocation: 'middle',
      nameGap: 28,
      data: categories.map((one) => (typeof one === 'number' ? one.toLocaleString('en') : one)),
    },
    yAxis: { type: 'log', name: y },
    series: series.map(({ name, values }) => ({
      type: 'line' as const,
      name,
      // A logarithmic axis cannot show 0.
      data: values.map((value) => (value === null || value <= 0 ? '-' : value)),
      label: { show: true, formatter: ({ value }: { value: unknown }) => shown(value) },
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}

function shown(value: unknown): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(3))) : '';
}
