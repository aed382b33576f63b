import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority } from '../../agent/testing/certificates.ts'

/** A server of the own network: https at an address of this machine, its certificate for `names` from an untrusted authority. */
export async function privateHost(names: string[], answer: RequestListener, address = '127.0.0.1') {
  const authority = await createAuthority('Private host test CA')
  const server = createServer(await authority.issue(names), answer).listen(0, address)
  await once(server, 'listening')
  const dir = mkdtempSync(join(tmpdir(), 'homeport-private-'))
  const pemFile = join(dir, 'root.pem')
  writeFileSync(pemFile, authority.pem, { mode: 0o600 })
  const host = {
    port: (server.address() as AddressInfo).port,
    pemFile,
    fingerprint: authority.fingerprint,
    /** How many TCP connections were opened to it, and how many of these are open still. */
    connections: 0,
    open: 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      rmSync(dir, { recursive: true, force: true })
    },
  }
  server.on('connection', (socket) => {
    host.connections++
    host.open++
    socket.on('close', () => host.open--)
  })
  return host
}

export type PrivateHost = Awaited<ReturnType<typeof privateHost>>
