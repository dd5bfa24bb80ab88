/** Numbers day by day as bars, and as a table for screen readers. */
import { utcFormatter } from './utc-formatter.ts'

type BarChartProps = {
  /** What is counted, such as `Requests`. */
  label: string
  /** Days such as `2026-11-21`, the newest last. */
  days: { day: string; count: number }[]
}

/** Units of the drawing, which is stretched to the width of the page. */
const STEP = 10
const BAR = 7
const HEIGHT = 100

const short = utcFormatter({ day: 'numeric', month: 'short' })
const long = utcFormatter({ dateStyle: 'long' })

export function BarChart({ label, days }: BarChartProps) {
  const top = roundUp(Math.max(...days.map(({ count }) => count)))
  const width = days.length * STEP
  return (
    <figure class="chart">
      <p class="chart-scale" aria-hidden="true">
        <span>{top.toLocaleString('en')}</span>
        <span>{(top / 2).toLocaleString('en')}</span>
        <span>0</span>
      </p>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {[0, HEIGHT / 2, HEIGHT].map((y) => (
          <line class="chart-line" x1={0} x2={width} y1={y} y2={y} />
        ))}
        {days.map(({ day, count }, index) => {
          const height = (count / top) * HEIGHT
          return (
            <g>
              <title>{`${short(new Date(day))}: ${count.toLocaleString('en')}`}</title>
              <rect class="chart-day" x={index * STEP} y={0} width={STEP} height={HEIGHT} />
              <rect
                class="chart-bar"
                x={index * STEP + (STEP - BAR) / 2}
                y={HEIGHT - height}
                width={BAR}
                height={height}
              />
            </g>
          )
        })}
      </svg>
      <p class="chart-days" aria-hidden="true">
        <span>{short(new Date(days[0]!.day))}</span>
        <span>Today</span>
      </p>
      <div class="visually-hidden">
        <table>
          <caption>{label} a day</caption>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              <th scope="col">{label}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, count }) => (
              <tr>
                <th scope="row">{long(new Date(day))}</th>
                <td>{count.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

/** Rounds up to 2, 4, 6, 8, 10, 20, 40 and so on, whose half is a whole number. */
function roundUp(count: number): number {
  let power = 1
  while (power * 10 < count) power *= 10
  return power * ([2, 4, 6, 8, 10].find((factor) => power * factor >= count) ?? 10)
}
