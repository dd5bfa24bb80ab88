/** Where a Worker's time goes while it answers: V8's sampling profiler, behind workerd's inspector. */
import { once } from 'node:events'
import type { SourceMap, SourceMapping } from 'node:module'

const SAMPLED_EVERY_US = 200
const WAITING = '(idle)'

/** As the DevTools protocol has it (https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-Profile). */
type Profile = {
  nodes: { id: number; callFrame: { functionName: string; lineNumber: number; columnNumber: number } }[]
  samples: number[]
  /** Microseconds before each sample. */
  timeDeltas: number[]
}

/** Samples the Worker while `work` runs. `inspector` is its address, such as `127.0.0.1:9229`. */
export async function sample(inspector: string, work: () => Promise<unknown>): Promise<Profile> {
  const [target] = (await (await fetch(`http://${inspector}/json`)).json()) as [
    { webSocketDebuggerUrl: string },
  ]
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await once(socket, 'open')
  let id = 0
  const call = async (method: string, params = {}) => {
    const own = ++id
    socket.send(JSON.stringify({ id: own, method, params }))
    for (;;) {
      const [{ data }] = (await once(socket, 'message')) as [MessageEvent]
      const answer = JSON.parse(String(data))
      if (answer.id === own) return answer.result
    }
  }
  try {
    await call('Profiler.enable')
    await call('Profiler.setSamplingInterval', { interval: SAMPLED_EVERY_US })
    await call('Profiler.start')
    await work()
    return (await call('Profiler.stop')).profile
  } finally {
    socket.close()
  }
}

/** The functions that took most of the time themselves, as the sources name them, in percent of what was not waiting. */
export function busiest(
  profile: Profile,
  map: SourceMap,
  most: number,
): { where: string; percent: number }[] {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const times = new Map<string, number>()
  let all = 0
  for (const [at, id] of profile.samples.entries()) {
    const { functionName, lineNumber, columnNumber } = frames.get(id)!
    if (functionName === WAITING) continue
    const where =
      (lineNumber >= 0 && nameIn(map, lineNumber, columnNumber)) || functionName || '(without a name)'
    times.set(where, (times.get(where) ?? 0) + profile.timeDeltas[at]!)
    all += profile.timeDeltas[at]!
  }
  const rows = [...times].map(([where, time]) => ({ where, percent: (100 * time) / all }))
  return rows.sort((a, b) => b.percent - a.percent).slice(0, most)
}

function nameIn(map: SourceMap, line: number, column: number): string | undefined {
  const { originalSource, originalLine, name }: Partial<SourceMapping> & { name?: string } = map.findEntry(
    line,
    column,
  )
  if (originalSource === undefined) return undefined
  const file = originalSource.replace(/^.*node_modules\//, '')
  return `${name ?? ''} ${file}:${originalLine! + 1}`.trim()
}
