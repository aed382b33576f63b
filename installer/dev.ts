import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer } from 'vite'

/**
 * `npm run dev`: the server and the console, both started again when their sources change, with a sample company whose
 * devices keep reporting.
 */

const root = join(import.meta.dirname, '..')
const port = process.env.HOMEPORT_PORT ?? '8080'
const origin = `http://127.0.0.1:${port}`
const env = {
  ...process.env,
  HOMEPORT_DATA_DIR: process.env.HOMEPORT_DATA_DIR ?? join(root, '.data'),
  HOMEPORT_HOST: '127.0.0.1',
  HOMEPORT_PORT: port,
  HOMEPORT_TLS: 'off',
}
const say = (text: string) => process.stdout.write(`${text}\n`)
const run = (...args: string[]) => spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' })

const server = run('--watch', '--watch-preserve-output', 'server/index.ts')
const vite = await createServer({
  root: join(root, 'renderer'),
  configFile: join(root, 'renderer/vite.config.ts'),
  server: { proxy: { '/api': { target: origin, ws: true } } },
})
await vite.listen()
let agents: ChildProcess | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)

if (await isHealthy(server)) {
  // Does nothing when the samples are there already.
  await once(run('server/admin/index.ts', 'seed-samples'), 'exit')
  agents = run('server/admin/index.ts', 'run-sample-agents', origin)
  say(`\nConsole (reloads automatically): ${vite.resolvedUrls?.local[0]}`)
  say(`Server and API: ${origin}/api/docs`)
  say(`Data: ${env.HOMEPORT_DATA_DIR}   (press Ctrl+C to stop)\n`)
}

async function isHealthy({ exitCode }: ChildProcess): Promise<boolean> {
  for (let tries = 0; tries < 300 && exitCode === null; tries++) {
    const reply = await fetch(`${origin}/api/v1/health`).catch(() => undefined)
    if (reply?.ok) return true
    await pause(200)
  }
  return false
}

async function stop(): Promise<void> {
  agents?.kill()
  server.kill('SIGTERM')
  await Promise.all([vite.close(), server.exitCode === null && once(server, 'exit')])
  process.exit(0)
}
