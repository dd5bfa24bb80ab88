/** Gives each fetch of a test its own connection: workerd ends idle ones after 5 s, and a request that reuses one at that moment fails. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.2')

type Agent = new (options: { pipelining: number }) => unknown

// Node creates its agent at the first fetch.
await fetch('data:,')
const dispatchers = globalThis as unknown as Record<symbol, { constructor: Agent }>
const { constructor: NodeAgent } = dispatchers[DISPATCHER]!
dispatchers[DISPATCHER] = new NodeAgent({ pipelining: 0 }) as { constructor: Agent }

export {}
