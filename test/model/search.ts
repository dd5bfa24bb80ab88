/**
 * A breadth-first search of every interleaving: in each state, each pending call of an actor may run next, or fail. The
 * first violation is therefore one of the shortest.
 *
 * A crash is not a separate step: a crashed actor is one that takes no further step, and each state is checked after a
 * sweep without further steps.
 */
import { LOST, type Node, type Program, type Reply, start } from './actor.ts'
import { type Call, describeCall } from './calls.ts'
import { knowing, recall } from './memo.ts'
import { type Answered, type Memory, type Request, reader } from './reader.ts'
import { checkAnswer, checkCalm, checkWorld, isMarked } from './rules.ts'
import type { Universe, World } from './world.ts'
import type { Acknowledged, Ended } from './writers.ts'

export type Model = {
  universe: Universe
  from: World
  /** The writers and the sweep. */
  writers: Program<Ended>[]
  isolates: { memory: Memory; requests: Request[] }[]
  /** The number of calls that may fail, and of losses of Redis' data. */
  faults: number
  /** The maximum number of steps; by default, until there are no new states. */
  depth?: number
  read?: typeof reader
}

export type Found = {
  states: number
  /** The number of reads that ended with this status. */
  answers: Record<number, number>
  violation: { rule: string; steps: string[] } | null
}

type Writer = {
  name: string
  node: Node<Ended>
  /** No further call of it reaches Redis. */
  away: boolean
}
type Isolate = {
  name: string
  /** Null when it has answered all requests. */
  node: Node<Answered> | null
  answered: number
  /** The promise to callers when the current request started. */
  due: Acknowledged | null
}

/** A call without a waiting caller, which saw a failure or deferred it. It runs later, or never. */
type Late = { call: Call; by: string }

type State = {
  world: World
  writers: readonly Writer[]
  isolates: readonly Isolate[]
  late: readonly Late[]
  acknowledged: Acknowledged
  faults: number
  before: State | null
  step: Step | null
}

type Way =
  | 'executed'
  | 'executed, reply lost'
  | 'failed, may arrive late'
  | 'failed, as does all it sends to Redis'
type Step =
  | { kind: 'writer' | 'isolate'; at: number; number: number; call: Call; way: Way }
  | { kind: 'late'; at: number }
  | { kind: 'loss' }
  /** A request that the isolate refuses without a call. */
  | { kind: 'known'; at: number }

/** Searches until there are no new states, or a rule is broken. */
export async function search(model: Model): Promise<Found> {
  const found: Found = { states: 0, answers: {}, violation: null }
  const seen = new Set<string>()
  let level = [await knowing(() => firstState(model))]
  for (let depth = 0; level.length > 0 && depth < (model.depth ?? Number.POSITIVE_INFINITY); depth++) {
    const nextLevel: State[] = []
    for (const state of level) {
      for (const step of stepsOf(state, model)) {
        const { next, broken, answered } = await knowing(() => take(model, state, step))
        if (answered) found.answers[answered] = (found.answers[answered] ?? 0) + 1
        const rule = broken ?? (await knowing(() => check(model, next)))
        if (rule) return { ...found, violation: { rule, steps: schedule(next) } }
        const key = keyOf(next)
        if (seen.has(key)) continue
        seen.add(key)
        nextLevel.push(next)
      }
    }
    level = nextLevel
    // Cached results need no I/O, and others would wait for it.
    await new Promise((resolve) => setImmediate(resolve))
    found.states = seen.size
  }
  return found
}

function check({ universe }: Model, state: State): string | null {
  return checkWorld(state.world) ?? checkCalm(universe, state.world, isUnmarked(state))
}

function firstState(model: Model): State {
  const writers: Writer[] = []
  for (const program of model.writers) {
    const node = recall(programs, program, () => start(program))
    writers.push({ name: program.name, node, away: false })
  }
  const isolates: Isolate[] = []
  for (const { memory, requests } of model.isolates) {
    const node = startRequest(model, memory, requests[0]!)
    isolates.push({ name: `isolate ${isolates.length + 1}`, node, answered: 0, due: null })
  }
  const acknowledged = { content: 0, revoked: false }
  return {
    world: model.from,
    writers,
    isolates,
    late: [],
    acknowledged,
    faults: model.faults,
    before: null,
    step: null,
  }
}

function stepsOf(state: State, model: Model): Step[] {
  const { world, writers, isolates, late, faults } = state
  // No readers are left. The search without isolates covers conflicts between writers.
  if (isolates.length > 0 && isolates.every(({ node }) => !node)) return []
  const alone = stepThatCommutes(state, model)
  if (alone) return alone
  const steps: Step[] = late.map((_, at) => ({ kind: 'late', at }))
  for (const [at, { node, away }] of writers.entries()) {
    for (const [number, call] of node.calls) {
      for (const way of waysOf(call, away, faults)) steps.push({ kind: 'writer', at, number, call, way })
    }
  }
  for (const [at, { node }] of isolates.entries()) {
    if (node?.calls.size === 0) steps.push({ kind: 'known', at })
    for (const [number, call] of node?.calls ?? []) {
      steps.push({ kind: 'isolate', at, number, call, way: 'executed' })
      if (faults > 0) steps.push({ kind: 'isolate', at, number, call, way: 'failed, may arrive late' })
    }
  }
  if (faults > 0 && Object.keys(world.redis).length > 0) steps.push({ kind: 'loss' })
  return steps
}

/**
 * A call that affects nobody else, whenever it runs: then it is the only next step. Without isolates, the shared access of
 * keys; and after all writes, queries to Postgres. A request's first call does not qualify, since it fixes what the request
 * must show.
 */
function stepThatCommutes({ world, writers, isolates, faults }: State, model: Model): Step[] | null {
  for (const [at, { node }] of isolates.length > 0 ? [] : writers.entries()) {
    for (const [number, call] of node.calls) {
      if (call.text.includes(':auth:')) return [{ kind: 'writer', at, number, call, way: 'executed' }]
    }
  }
  const isWritten = world.postgres.writes.length === model.writers.filter(({ writes }) => writes).length
  for (const [at, { node, due }] of isWritten ? isolates.entries() : []) {
    for (const [number, call] of (due && node?.calls) ?? []) {
      if (call.to !== 'postgres') continue
      const ways: Way[] = faults > 0 ? ['executed', 'failed, may arrive late'] : ['executed']
      return ways.map((way) => ({ kind: 'isolate', at, number, call, way }))
    }
  }
  return null
}

function waysOf({ to, writes }: Call, away: boolean, faults: number): Way[] {
  if (to === 'redis' && away) return ['failed, as does all it sends to Redis']
  if (faults === 0 || to === 'queue') return ['executed']
  const ways: Way[] = ['executed', 'failed, may arrive late']
  if (writes) ways.push('executed, reply lost')
  if (to === 'redis') ways.push('failed, as does all it sends to Redis')
  return ways
}

type Taken = { next: State; broken?: string | null; answered?: number }

function take(model: Model, state: State, step: Step): Taken {
  const before = { ...state, before: state, step }
  switch (step.kind) {
    case 'loss': {
      const world = model.universe.withoutRedis(state.world)
      return { next: { ...before, world, faults: state.faults - 1 } }
    }
    case 'late': {
      const { world } = model.universe.execute(state.world, state.late[step.at]!.call)
      return { next: { ...before, world, late: state.late.toSpliced(step.at, 1) } }
    }
    case 'known':
      return answer(model, before, step.at, state.acknowledged)
    case 'writer':
      return { next: stepWriter(model, before, step) }
    case 'isolate':
      return stepIsolate(model, before, step)
  }
}

type CallStep = Extract<Step, { call: Call }>

function stepWriter({ universe }: Model, state: State, step: CallStep): State {
  const { at, number, call, way } = step
  const { name, node, away } = state.writers[at]!
  const { world, reply } = outcomeOf(universe, state.world, call, way)
  const next = node.next(number, reply)
  const isFault = way !== 'executed' && !away
  const late = isFault && way !== 'executed, reply lost' && call.writes ? [{ call, by: name }] : []
  const isAway = away || way === 'failed, as does all it sends to Redis'
  // Its deferred calls go on.
  const deferred = next.result ? [...next.calls.values()].map((open) => ({ call: open, by: name })) : []
  const { acknowledged } = next.result ?? { acknowledged: null }
  return {
    ...state,
    world,
    writers: state.writers.with(at, { name, node: next, away: isAway }),
    late: [...state.late, ...late, ...deferred],
    acknowledged: {
      content: Math.max(state.acknowledged.content, acknowledged?.content ?? 0),
      revoked: state.acknowledged.revoked || acknowledged?.revoked === true,
    },
    faults: state.faults - (isFault ? 1 : 0),
  }
}

function stepIsolate(model: Model, state: State, step: CallStep): Taken {
  const { at, number, call, way } = step
  const { name, node, answered, due } = state.isolates[at]!
  const { world, reply } = outcomeOf(model.universe, state.world, call, way)
  const next = node!.next(number, reply)
  // The request starts with its first call. Had it started earlier, less would have been promised.
  const isolate = { name, node: next, answered, due: due ?? state.acknowledged }
  const faults = state.faults - (way === 'executed' ? 0 : 1)
  const after = { ...state, world, faults, isolates: state.isolates.with(at, isolate) }
  return next.result ? answer(model, after, at, isolate.due) : { next: after }
}

/** The isolate has answered, and its next request can start. */
function answer(model: Model, state: State, at: number, due: Acknowledged): Taken {
  const { name, node, answered } = state.isolates[at]!
  const { result, calls } = node!
  const request = model.isolates[at]!.requests[answered + 1]
  const following = request ? startRequest(model, result!.memory, request) : null
  const isolate = { name, node: following, answered: answered + 1, due: null }
  const deferred = [...calls.values()].map((call) => ({ call, by: name }))
  const next = { ...state, isolates: state.isolates.with(at, isolate), late: [...state.late, ...deferred] }
  return {
    next,
    broken: checkAnswer(result!, due, state.world, state.faults < model.faults),
    answered: result!.status,
  }
}

function outcomeOf(universe: Universe, world: World, call: Call, way: Way): { world: World; reply: Reply } {
  if (way.startsWith('failed')) return { world, reply: LOST }
  const executed = universe.execute(world, call)
  return way === 'executed' ? executed : { world: executed.world, reply: LOST }
}

const programs = new Map<Program<Ended>, Node<Ended>>()
const requests = new Map<string, Node<Answered>>()

/** The same for all isolates with equal knowledge. */
function startRequest({ read = reader }: Model, memory: Memory, request: Request): Node<Answered> {
  const key = JSON.stringify([memory, request, numberOf(read)])
  return recall(requests, key, () => start(read(memory, request)))
}

/** A writer may have died before its mark reached Redis. Then the hourly sweep is the next to find the site. */
function isUnmarked({ world, writers, late }: State): boolean {
  if (isMarked(world)) return false
  const unmarked = new Set(late.filter(({ call }) => call.text.includes('"ZADD"')).map(({ by }) => by))
  return writers.some(({ name, node }) => !node.result && unmarked.has(name))
}

const numbers = new Map<unknown, number>()
const numberOf = (value: unknown): number => {
  const number = numbers.get(value) ?? numbers.size
  numbers.set(value, number)
  return number
}

function keyOf({ world, writers, isolates, late, acknowledged, faults }: State): string {
  const ofIsolates = isolates.map(
    ({ node, answered, due }) => `${node?.id ?? '-'},${answered},${due ? acknowledgedKey(due) : '-'}`,
  )
  const ofLate = late.map(({ call }) => numberOf(call.text)).toSorted((a, b) => a - b)
  return `${world.id} ${writers.map(({ node, away }) => `${node.id}${away ? '!' : ''}`)} ${ofIsolates.toSorted()} ${ofLate} ${acknowledgedKey(acknowledged)} ${faults}`
}

const acknowledgedKey = ({ content, revoked }: Acknowledged) => `${content}${revoked ? 'r' : ''}`

/** The readable steps to a state. */
function schedule(state: State): string[] {
  if (!state.before || !state.step) return []
  return [...schedule(state.before), describe(state.before, state.step)]
}

function describe(before: State, step: Step): string {
  switch (step.kind) {
    case 'loss':
      return 'Redis loses its data'
    case 'late':
      return `${before.late[step.at]!.by}: ${describeCall(before.late[step.at]!.call)}: executed, nobody waits`
    case 'known':
      return `${before.isolates[step.at]!.name}: answers without a call`
    default: {
      const actor = step.kind === 'writer' ? before.writers[step.at]! : before.isolates[step.at]!
      return `${actor.name}: ${describeCall(step.call)}: ${step.way}`
    }
  }
}
