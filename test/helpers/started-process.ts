import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

interface Start {
  file: string
  args: string[]
  env?: Record<string, string>
  port: number
}

/** A server that is away for a while; it ends with the test. */
export async function stoppableServer(how: Start): Promise<{ stop(): Promise<void>; start(): Promise<void> }> {
  let child = await startedServer(how)
  return {
    stop: () => ended(child),
    start: async () => {
      child = await startedServer(how)
    },
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** A server in a process of its own, which ends with the test; resolves once it takes connections. */
export async function startedServer({ file, args, env, port }: Start): Promise<ChildProcess> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH ?? '', ...env } })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  onTestFinished(() => ended(child))
  for (let tries = 0; !(await answers(port)); tries++) {
    if (child.exitCode !== null || tries === 200) throw new Error(`${file} does not listen:\n${said}`)
    await sleep(50)
  }
  return child
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
