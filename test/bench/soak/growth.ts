/** Checks if samples keep growing. */

/** Growth in the second half, when caches are full, that is more than this share of the mean, and than three times the noise: counts wander. */
const SHARE = 0.1
const NOISES = 3

type Sample = { seconds: number; [measured: string]: number }
export type Growth = { measured: string; mean: string; growth: string; noise: string; isGrowing: boolean }

/** For each series: the mean, the rise of a fitted line, and the distance from it. */
export function growthOf(samples: Sample[]): Growth[] {
  const late = samples.slice(Math.floor(samples.length / 2))
  const names = Object.keys(late[0] ?? {}).filter((name) => name !== 'seconds')
  return names.map((measured) => {
    const points = late.map((each) => [each.seconds, each[measured]!] as const)
    const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    const [atMean, mean] = [meanOf(points.map(([at]) => at)), meanOf(points.map(([, value]) => value))]
    const slope =
      points.reduce((sum, [at, value]) => sum + (at - atMean) * (value - mean), 0) /
      points.reduce((sum, [at]) => sum + (at - atMean) ** 2, 0)
    const noise = Math.sqrt(meanOf(points.map(([at, value]) => (value - mean - slope * (at - atMean)) ** 2)))
    const growth = slope * (late.at(-1)!.seconds - late[0]!.seconds)
    return {
      measured,
      mean: mean.toFixed(1),
      growth: growth.toFixed(1),
      noise: noise.toFixed(1),
      isGrowing: growth > Math.max(SHARE * mean, NOISES * noise),
    }
  })
}
