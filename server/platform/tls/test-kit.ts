import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkServerIdentity, connect, type PeerCertificate } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { HostNames } from './names.ts'
import type { AutoTlsOptions, Tls } from './tls.ts'

export const day = 86_400_000

export interface LogLine {
  level: 'info' | 'warn' | 'error'
  message: string
  facts: object
}

/** A new folder, a clock that stands at the real time until moved, names to change, and what was logged. */
export async function makeScene() {
  const dir = await mkdtemp(join(tmpdir(), 'homeport-tls-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const lines: LogLine[] = []
  const write = (level: LogLine['level']) => (facts: object, message: string) =>
    void lines.push({ level, message, facts })
  const time = { ms: Date.now() }
  const machine: { names: HostNames } = { names: { dns: ['box', 'box.local'], ip: ['192.0.2.7', 'fd00::7'] } }
  const log = { info: write('info'), warn: write('warn'), error: write('error') }
  const clock = { now: () => time.ms }
  const options: AutoTlsOptions = { mode: 'auto', dir: join(dir, 'tls'), names: () => machine.names, clock, log }
  return { dir, time, machine, lines, log, clock, options }
}

/** The port of an HTTPS server that follows `tls`, as the appliance does. */
export async function serve(tls: Tls): Promise<number> {
  const server = createServer(tls.secureContext(), (_request, response) => void response.end('ok'))
  tls.onChange((context) => server.setSecureContext(context))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The server has no port')
  return address.port
}

/** A handshake that trusts only `ca` and expects `name`: the server's certificate, or a rejection as on a device. */
export function handshake(port: number, ca: string, name: string): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      ca,
      servername: isIP(name) ? undefined : name,
      checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
    })
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate())
      socket.destroy()
    })
    socket.once('error', reject)
  })
}
