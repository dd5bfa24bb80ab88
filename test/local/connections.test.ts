import { expect, it } from 'vitest'
import { startHttpServer } from '../support/http-server.ts'

it('each fetch of a test has its own connection, and no server of the tests closes an idle one', async () => {
  const ports: (number | undefined)[] = []
  const server = await startHttpServer((request, response) => {
    ports.push(request.socket.remotePort)
    response.end()
  })
  for (let sent = 0; sent < 3; sent++) await (await fetch(server.url)).text()
  expect(new Set(ports).size).toBe(3)
  const { headers } = await fetch(server.url)
  expect(headers.get('keep-alive')).toBeNull()
  await server.close()
})
