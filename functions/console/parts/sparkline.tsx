/** Numbers over time as small bars, without axes. `label` says in words what the bars show. */

/** SVG units. */
const STEP = 4
const BAR = 3
const HEIGHT = 24
/** Keeps small numbers visible next to large ones. */
const MIN_BAR = 2

type SparklineProps = {
  label: string
  /** Oldest first. `bad` is stacked on top of `good`. */
  bars: { good: number; bad?: number }[]
}

export function Sparkline({ label, bars }: SparklineProps) {
  const top = Math.max(1, ...bars.map(({ good, bad = 0 }) => good + bad))
  const heightOf = (count: number) => (count > 0 ? Math.max(MIN_BAR, (count / top) * (HEIGHT - MIN_BAR)) : 0)
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {bars.map(({ good, bad = 0 }, index) => {
        const [height, onTop] = [heightOf(good), heightOf(bad)]
        const at = { x: index * STEP, width: BAR }
        return (
          <>
            {height + onTop === 0 && <rect class="spark-none" {...at} y={HEIGHT - 1} height={1} />}
            {height > 0 && <rect class="chart-bar" {...at} y={HEIGHT - height} height={height} />}
            {onTop > 0 && <rect class="chart-bad" {...at} y={HEIGHT - height - onTop} height={onTop} />}
          </>
        )
      })}
    </svg>
  )
}
