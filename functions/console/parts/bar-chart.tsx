/** Daily numbers as bars, and as a table for screen readers. */
import { utcFormatter } from './time.tsx'

type BarChartProps = {
  /** The caption of the table. */
  label: string
  /** One series, or `[good, bad]`. Bad is stacked on top, outlined. */
  series: [string] | [string, string]
  /** Days such as `2026-11-21`, newest last, with a count for each series. */
  days: { day: string; counts: number[] }[]
}

/** SVG units. The chart stretches to the width of the page. */
const STEP = 10
const BAR = 7
const HEIGHT = 100
/** Keeps one failure among a thousand deliveries visible. */
const MIN_BAD = 4

export const shortDay = utcFormatter({ day: 'numeric', month: 'short' })

export function BarChart({ label, series, days }: BarChartProps) {
  const top = roundUp(Math.max(...days.map(({ counts }) => sum(counts))))
  const width = days.length * STEP
  return (
    <figure class="chart">
      {series.length > 1 && <Legend series={series} />}
      <p class="chart-scale" aria-hidden="true">
        <span>{top.toLocaleString('en')}</span>
        <span>{(top / 2).toLocaleString('en')}</span>
        <span>0</span>
      </p>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {[0, HEIGHT / 2, HEIGHT].map((y) => (
          <line class="chart-line" x1={0} x2={width} y1={y} y2={y} />
        ))}
        {days.map(({ day, counts: [good = 0, bad = 0] }, index) => {
          const height = (good / top) * HEIGHT
          const onTop = bad && Math.max(MIN_BAD, (bad / top) * HEIGHT)
          const at = { x: index * STEP + (STEP - BAR) / 2, width: BAR }
          return (
            <g>
              <title
                data-utc-day={day}
              >{`${shortDay(new Date(day))}: ${countsInWords(series, [good, bad])}`}</title>
              <rect class="chart-day" x={index * STEP} y={0} width={STEP} height={HEIGHT} />
              <rect class="chart-bar" {...at} y={HEIGHT - height} height={height} />
              {onTop > 0 && <rect class="chart-bad" {...at} y={HEIGHT - height - onTop} height={onTop} />}
            </g>
          )
        })}
      </svg>
      <p class="chart-days" aria-hidden="true">
        <span>{days.length - 1} days ago</span>
        <span>Today</span>
      </p>
      <div class="visually-hidden">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              {['Day (UTC)', ...series].map((heading) => (
                <th scope="col">{heading}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, counts }) => (
              <tr>
                <th scope="row" data-utc-day={day}>
                  {shortDay(new Date(day))}
                </th>
                {counts.map((count) => (
                  <td>{count.toLocaleString('en')}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

/** The outline distinguishes the series without color. */
function Legend({ series }: Pick<BarChartProps, 'series'>) {
  return (
    <ul class="row hint chart-legend" aria-hidden="true">
      {series.map((name, index) => (
        <li>
          <svg width={12} height={12} aria-hidden="true">
            <rect class={index === 0 ? 'chart-bar' : 'chart-bad'} width={12} height={12} />
          </svg>{' '}
          {name}
        </li>
      ))}
    </ul>
  )
}

/** `12`, or `11 delivered, 1 failed`. */
export function countsInWords(series: string[], counts: number[]): string {
  if (series.length === 1) return counts[0]!.toLocaleString('en')
  return series
    .map((name, index) => `${counts[index]!.toLocaleString('en')} ${name.toLowerCase()}`)
    .join(', ')
}

function sum(counts: number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

/** The scale shows half of it, which must be a whole number. */
function roundUp(count: number): number {
  let power = 1
  while (power * 10 < count) power *= 10
  return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]
    .map((factor) => power * factor)
    .find((top) => top >= count && top % 2 === 0)!
}
