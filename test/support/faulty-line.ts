/** A TCP proxy to a server on 127.0.0.1 that can be cut, go silent, or lose replies. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** `cut`: connections end and new ones are refused. `silent`: they are accepted, but nothing is transmitted. */
type Condition = 'sound' | 'cut' | 'silent'

/** A proxy to the origin of `url`. */
export async function openLine(url: string) {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let condition: Condition = 'sound'
  let isLost = () => false
  const server = createServer((near) => {
    near.on('error', () => {})
    near.once('close', () => sockets.delete(near))
    sockets.add(near)
    if (condition === 'silent') return near.resume()
    const far = connect(Number(target.port), target.hostname)
    far.on('error', () => near.destroy())
    sockets.add(far)
    far.once('close', () => {
      sockets.delete(far)
      near.destroy()
    })
    near.once('close', () => far.destroy())
    near.pipe(far)
    // The server has done the work; the client sees a closed connection instead of the reply.
    far.on('data', () => isLost() && near.destroy())
    far.pipe(near)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const moved = new URL(url)
  moved.port = String(port)
  return {
    /** `url` through this proxy. */
    url: moved.href.replace(/\/$/, target.pathname === '/' ? '' : '/'),
    /** Loses this share of replies from now on. */
    loseReplies(share: number, random: () => number) {
      isLost = () => random() < share
    },
    async become(next: Condition) {
      condition = next
      if (next === 'cut' && server.listening) server.close()
      if (next === 'silent') for (const socket of sockets) socket.pause().unpipe()
      // Until the client can see it, so that its next request does not reuse the connection.
      else await Promise.all([...sockets].map((socket) => once(socket.destroy(), 'close')))
      if (next !== 'cut' && !server.listening) await listen(port)
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
