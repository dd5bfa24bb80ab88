/** A session with `/mcp`, by the client of the protocol's own SDK. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Asked, Session } from './mcp-session.ts'

export async function use({ origin, token, mode, calls }: Asked): Promise<Session> {
  const exchanges: Session['exchanges'] = []
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', origin), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      const { authorization: _, ...headers } = Object.fromEntries(new Headers(init?.headers))
      const sent = `${init?.method ?? 'GET'} ${init?.body ?? ''}`
      exchanges.push({ sent, headers, status: response.status, answered: await response.clone().text() })
      return response
    },
  })
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  const { tools } = await client.listTools()
  const results: Session['results'] = []
  for (const [name, args] of calls) {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
    const [first] = content
    const text = first?.type === 'text' ? first.text : ''
    results.push({ isError: isError ?? false, text, structured: structuredContent })
  }
  const session = {
    version: client.getNegotiatedProtocolVersion(),
    server: client.getServerVersion()?.name,
    tools: tools.map(({ name }) => name),
  }
  await client.close()
  return { ...session, results, exchanges }
}
