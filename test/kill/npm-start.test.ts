import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { lockDataDir } from '../../server/platform/data-lock.ts'
import { freePort, startCommand } from '../helpers/real-appliance.ts'
import { atLength, isThorough } from '../helpers/thorough.ts'
import { temporaryDirectory } from './scene.ts'

const isWindows = process.platform === 'win32'

/** A server that some command starts, and that may outlive the command. */
async function startedBy(command: string, args: string[]) {
  const dataDir = temporaryDirectory()
  const port = await freePort()
  const started = startCommand(command, args, {
    HOMEPORT_DATA_DIR: dataDir,
    HOMEPORT_HOST: '127.0.0.1',
    HOMEPORT_PORT: String(port),
    HOMEPORT_TLS: 'off',
  })
  // The server writes to the same pipe, so it is closed when both are gone.
  const closed = once(started.child, 'close')
  const pid = () => (JSON.parse(readFileSync(join(dataDir, 'lock.json'), 'utf8')) as { pid: number }).pid
  onTestFinished(async () => {
    if (started.child.stdout?.closed) return
    await started.stop('SIGKILL')
    if (globSync('lock.json', { cwd: dataDir }).length > 0) process.kill(pid(), 'SIGKILL')
  })
  await started.saying('Press Ctrl+C to stop.')
  return {
    ...started,
    closed,
    /** Of the server itself. */
    pid,
    isUp: async () => (await fetch(`http://127.0.0.1:${port}/api/v1/health`)).ok,
    assertStoppedInOrder: () => {
      const [log] = globSync('logs/*.log', { cwd: dataDir })
      expect(readFileSync(join(dataDir, log ?? ''), 'utf8')).toContain('The appliance has stopped')
      expect(globSync('homeport.db-wal', { cwd: dataDir })).toEqual([])
      lockDataDir(dataDir, 'serve').release()
    },
  }
}

// Without `prestart`, which builds the console.
const npmStart = () => startedBy('npm', ['start', '--ignore-scripts'])

const signals = isThorough ? (['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const) : (['SIGTERM', 'SIGKILL'] as const)

test.skipIf(isWindows).each(signals)('%s to npm alone stops the server with it, in order', async (signal) => {
  const server = await npmStart()
  expect(server.pid()).not.toBe(server.child.pid)
  server.child.kill(signal)
  await server.closed
  server.assertStoppedInOrder()
})

test.skipIf(isWindows)('a server whose npm is gone before it has started stops, too', async () => {
  const parentOfAnother = '999999999'
  const server = await startedBy(process.execPath, ['server/index.ts', '--started-by', parentOfAnother])
  await server.closed
  server.assertStoppedInOrder()
})

atLength('a server without npm outlives its parent, and stops once on two signals', async () => {
  const code = `require('node:child_process').spawn(process.execPath, ['server/index.ts'], { stdio: 'inherit' })`
  const server = await startedBy(process.execPath, ['-e', code])
  await server.stop('SIGKILL')
  // Longer than the server takes to look for npm.
  await setTimeout(2_000)
  expect(await server.isUp()).toBe(true)
  const pid = server.pid()
  process.kill(pid, 'SIGTERM')
  process.kill(pid, 'SIGINT')
  await server.closed
  if (!isWindows) server.assertStoppedInOrder()
})

test('a server with a shell between npm and it, as on Windows, stops with the shell', async () => {
  const code = `require('node:child_process')
    .spawn(process.execPath, ['server/index.ts', '--started-by', 'npm'], { stdio: 'inherit' })`
  const server = await startedBy(process.execPath, ['-e', code])
  await server.stop('SIGKILL')
  await server.closed
  server.assertStoppedInOrder()
})
